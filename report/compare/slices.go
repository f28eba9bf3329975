package compare

import (
	"fmt"
	"io"
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
	What    string // how the reviews were sliced
	rows    []sliceRow
	against string // the side that the others are compared with; "" for none
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
	if paired {
		out.against = sides[0].Name
	}
	var all []*Comparison
	for _, part := range parts {
		var first Side
		for i, s := range sides {
			inside := s.in(part, map[*questions]*questions{})
			row := sliceRow{slice: part.Name, side: s.Name}
			if err := row.measure(inside); err != nil {
				return nil, fmt.Errorf("%s in %s: %w", s.Name, part.Name, err)
			}
			if i == 0 {
				first = inside
			}
			if row.reviews == 0 {
				continue
			}
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
	return out, adjust(all)
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
func (r *sliceRow) measure(s Side) error {
	var values []float64
	var own []stats.Interval
	for _, a := range s.Answers {
		right := 0
		for i, label := range a.label {
			if a.said(i) == label {
				right++
			}
		}
		if r.reviews = len(a.label); r.reviews == 0 {
			return nil
		}
		values = append(values, 100*float64(right)/float64(r.reviews))
		interval, err := stats.WilsonPercent(values[len(values)-1], r.reviews)
		if err != nil {
			return err
		}
		own = append(own, interval)
	}
	r.accuracy, r.interval = stats.Summarise(values), own[0]
	if len(values) == 1 {
		return nil
	}
	var err error
	_, r.interval, err = stats.OverSeeds(values, own, stats.Interval{High: 100})
	return err
}

// Text writes the table, at most width columns wide (0: no limit), in colour or not.
func (s *Slices) Text(w io.Writer, width int, color bool) error {
	return s.view().Text(w, width, color)
}

// Markdown writes the same as a pipe table.
func (s *Slices) Markdown(w io.Writer) error { return s.view().Markdown(w) }

// LaTeX writes the same as a table of booktabs.
func (s *Slices) LaTeX(w io.Writer) error { return s.view().LaTeX(w) }

func (s *Slices) view() render.View {
	var notes render.Footnotes
	columns := []term.Column{{Head: s.What, Keep: true}, render.Words("", 0), render.Numbers("reviews", 2), render.Numbers("accuracy", 0), render.Numbers("95 % interval", 1)}
	keys := "Accuracies in percent; intervals are Wilson's over reviews, and over seeds and reviews of several seeds."
	if s.against != "" {
		columns = append(columns, render.Numbers("difference", 0), render.Numbers("95 % interval", 0), render.Numbers("p", 2), render.Numbers(adjustedHead, 1), render.Words("verdict", 0))
		keys += " Differences in points from " + s.against + ", on the same reviews. " + adjustedKey("all rows")
	}
	t := render.NewTable("", columns...)
	last := ""
	for _, r := range s.rows {
		cells := []term.Cell{{Text: r.slice}, {Text: r.side}, {Text: format.Thousands(r.reviews)},
			render.Mean(r.accuracy, 2), {Text: render.Between(r.interval)}}
		if r.slice == last {
			cells[0].Text = ""
		}
		last = r.slice
		if c := r.Comparison; c != nil {
			cells[1].Marks = notes.Mark(c.Notes)
			cells = append(cells, c.result()[2:]...)
		}
		t.AddCells(append(cells, make([]term.Cell, len(columns)-len(cells))...)...)
	}
	return render.View{Sections: []render.Section{{Title: "Test accuracy by " + s.What, Tables: []*term.Table{t}, Notes: notes.List, Keys: func([]string) string { return keys }}}}
}

// Records returns a record for each row, with the columns of a Table for the comparison.
func (s *Slices) Records() term.Records {
	lines := term.Records{append([]string{"by", "slice", "setting", "reviews", "seeds", "acc", "acc_low", "acc_high"}, comparisonFields...)}
	for _, r := range s.rows {
		line := []string{s.What, r.slice, r.side, strconv.Itoa(r.reviews), strconv.Itoa(r.accuracy.N), format.Exact(r.accuracy.Mean), format.Exact(r.interval.Low), format.Exact(r.interval.High)}
		fields := make([]string, len(comparisonFields))
		if r.Comparison != nil {
			fields = r.fields()
		}
		lines = append(lines, append(line, fields...))
	}
	return lines
}
