package compare

import (
	"strconv"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
)

// Slice is a named part of the test reviews.
type Slice struct {
	Name    string
	Reviews map[string]bool
}

// Slices are the accuracies of settings in slices of the reviews.
type Slices struct {
	render.View
	What string // how the reviews were sliced
	rows []sliceRow
}

type sliceRow struct {
	slice, side string
	reviews     int
	accuracy    stats.Moments  // percent, over the seeds
	interval    stats.Interval // over reviews, and over seeds if there are several
	*Comparison                // with the first side; nil for itself, or without comparison
}

// BySlice measures each side in each slice. If paired is true it compares the first side with the
// others there, and adjusts p over all comparisons.
func BySlice(what string, parts []Slice, sides []Side, paired bool) (*Slices, error) {
	out := &Slices{What: what}
	var all []*Comparison
	for _, part := range parts {
		var first Side
		for i, s := range sides {
			inside := s.in(part, map[*questions]*questions{})
			if i == 0 {
				first = inside
			}
			row := sliceRow{slice: part.Name, side: s.Name, reviews: len(inside.Answers[len(inside.Answers)-1].label)}
			if row.reviews == 0 {
				continue
			}
			row.measure(inside)
			if paired && i > 0 && len(first.Answers[0].reviews) > 0 {
				var err error
				if row.Comparison, err = compare(first, inside); err != nil {
					return nil, err
				}
				all = append(all, row.Comparison)
			}
			out.rows = append(out.rows, row)
		}
	}
	adjust(all)
	against := ""
	if paired {
		against = sides[0].Name
	}
	out.Sections = []render.Section{out.section(against)}
	return out, nil
}

// in returns a side with the reviews of a slice that have a label. Answers that share their reviews
// go on sharing them.
func (s Side) in(part Slice, shared map[*questions]*questions) Side {
	answers := s.Answers
	s.Answers = nil
	for _, a := range answers {
		inside, known := *a, shared[a.questions]
		inside.predicted, inside.questions = nil, &questions{at: map[string]int{}, others: a.label}
		for i, review := range a.reviews {
			if a.label[i] != "" && part.Reviews[review] {
				inside.predicted, inside.at[review] = append(inside.predicted, a.predicted[i]), len(inside.reviews)
				inside.reviews, inside.label = append(inside.reviews, review), append(inside.label, a.label[i])
			}
		}
		if known != nil {
			inside.questions = known
		}
		shared[a.questions] = inside.questions
		s.Answers = append(s.Answers, &inside)
	}
	return s
}

// measure sets the accuracy of a side and its interval.
func (r *sliceRow) measure(s Side) {
	var values []float64
	var own []stats.Interval
	for _, a := range s.Answers {
		right := 0
		for i, label := range a.label {
			if a.said(i) == label {
				right++
			}
		}
		share := 100 * float64(right) / float64(len(a.label))
		values, own = append(values, share), append(own, stats.WilsonPercent(share, len(a.label)))
	}
	r.accuracy = stats.Summarise(values)
	_, r.interval = stats.OverSeeds(values, own, stats.Interval{High: 100})
}

// section is the table, with differences from a side if it has a name.
func (s *Slices) section(against string) render.Section {
	var notes render.Footnotes
	columns := []term.Column{{Head: s.What, Keep: true}, render.Words("", 0), render.Numbers("reviews", 2), render.Numbers("accuracy", 0), render.Numbers("95 % interval", 1)}
	keys := "Accuracies in percent; intervals are Wilson's over reviews, and over seeds and reviews of several seeds."
	if against != "" {
		columns = append(columns, render.Numbers("difference", 0), render.Numbers("95 % interval", 0), render.Numbers("p", 2), render.Numbers(adjustedHead, 1), render.Words("verdict", 0))
		keys += " Differences in points from " + against + ", on the same reviews. " + adjustedKey("all rows")
	}
	t := render.NewTable("", columns...)
	last := ""
	for i, r := range s.rows {
		cells := []term.Cell{{Text: r.slice}, {Text: r.side}, {Text: format.Thousands(r.reviews)},
			render.Mean(r.accuracy, 2), {Text: render.Between(r.interval)}}
		if r.slice == last {
			cells[0].Text = ""
		}
		last = r.slice
		if c := r.Comparison; c != nil {
			cells[1].Marks = notes.Mark(c.ofSecond())
			cells = append(cells, c.result()[2:]...)
		} else if i+1 < len(s.rows) && s.rows[i+1].Comparison != nil {
			cells[1].Marks = notes.Mark(s.rows[i+1].ofFirst)
		}
		t.AddCells(append(cells, make([]term.Cell, len(columns)-len(cells))...)...)
	}
	return render.Section{Title: "Test accuracy by " + s.What, Tables: []*term.Table{t}, Notes: notes.List, Keys: func([]string) string { return keys }}
}

// Records returns a record for each row, with the columns of a Table for the comparison.
func (s *Slices) Records() term.Records {
	names, _ := new(Comparison).fields()
	lines := term.Records{append([]string{"by", "slice", "setting", "reviews", "seeds", "acc", "acc_low", "acc_high"}, names...)}
	for _, r := range s.rows {
		line := []string{s.What, r.slice, r.side, strconv.Itoa(r.reviews), strconv.Itoa(r.accuracy.N), format.Exact(r.accuracy.Mean), format.Exact(r.interval.Low), format.Exact(r.interval.High)}
		lines = append(lines, append(line, r.record()...))
	}
	return lines
}
