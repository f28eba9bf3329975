package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
)

// Table is a table of comparisons with the same first side.
type Table []*Comparison

// Text writes the table and its conclusion, at most width columns wide (0: no limit), in colour
// or not.
func (l Table) Text(w io.Writer, width int, color bool) error { return l.view().Text(w, width, color) }

// Markdown writes the same as a pipe table.
func (l Table) Markdown(w io.Writer) error { return l.view().Markdown(w) }

// LaTeX writes the same as a table of booktabs.
func (l Table) LaTeX(w io.Writer) error { return l.view().LaTeX(w) }

func (l Table) view() render.View { return render.View{Sections: []render.Section{l.section()}} }

// resultColumns are the columns of a table of comparisons behind the names.
func resultColumns(score string) []term.Column {
	out := []term.Column{render.Numbers("seeds", 2), render.Numbers(score, 3), render.Numbers("difference", 0), render.Numbers("95 % interval", 0),
		render.Numbers("p", 2), render.Numbers(adjustedHead, 1), render.Words("verdict", 0)}
	out[2].Keep = true
	return out
}

// result returns the entries of a comparison in resultColumns.
func (c *Comparison) result() []term.Cell {
	return append(c.side(1), []term.Cell{{Text: format.Signed(c.Difference)}, {Text: format.FromTo(c.Interval.Low, c.Interval.High)},
		{Text: probability(c.P)}, {Text: probability(c.Adjusted)}, {Text: c.verdict()}}...)
}

// side returns the seeds and the accuracy of the first side (0) or the second (1).
func (c *Comparison) side(i int) []term.Cell {
	return []term.Cell{{Text: fmt.Sprint(c.Seeds[i])}, {Text: format.Fixed(c.Accuracy[i].Mean, 2), More: render.Spread(c.Accuracy[i], 2)}}
}

// maxSettings is the number of comparisons up to which each lists the settings in which its sides differ.
const maxSettings = 4

func (l Table) section() render.Section {
	var notes render.Footnotes
	unit, score := l[0].unit(), l[0].score()
	t := render.NewTable("", append([]term.Column{{Keep: true}}, resultColumns(score)...)...)
	t.Columns[2].Optional, t.Columns[2].Keep = 1, true
	t.Columns = slices.Insert(t.Columns, 2, render.Numbers(unit, 4))
	first := slices.MaxFunc(l, func(a, b *Comparison) int { return a.Reviews - b.Reviews })
	add := func(name term.Cell, reviews int, result []term.Cell) {
		t.AddCells(append([]term.Cell{name}, slices.Insert(result, 1, term.Cell{Text: format.Thousands(reviews)})...)...)
	}
	add(term.Cell{Text: first.First}, first.Reviews, append(first.side(0), make([]term.Cell, 5)...))
	for _, c := range l {
		result := c.result()
		if len(l) == 1 { // nothing is adjusted
			result[5].Text = ""
		}
		add(term.Cell{Text: c.Second, Marks: notes.Mark(c.Notes)}, c.Reviews, result)
	}
	s := render.Section{Title: fmt.Sprintf("Test %s on %s common %s", score, format.Thousands(first.Reviews), unit), Words: []string{first.Sentence() + "."}}
	if first.Divisions > 0 {
		s.Title = fmt.Sprintf("Test %s over %d divisions of the reviews into train and test", score, first.Divisions)
	}
	keys := map[bool]string{false: "Accuracies", true: "Exact matches"}[l[0].Pairs] + " in percent, differences in points; ±: standard deviation over (n) seeds."
	if first.Divisions > 0 {
		keys = strings.Replace(keys, "seeds", "divisions", 1)
	}
	if len(l) > 1 {
		s.Title = fmt.Sprintf("Test %s on common %s, compared with %s", score, unit, first.First)
		s.Words = []string{l.noise()}
		keys += " " + adjustedKey(fmt.Sprintf("%d comparisons", len(l)))
	} else {
		t.Columns[6].Optional, t = 1, t.Filled()
	}
	if len(l) > maxSettings {
		s.Words = append(s.Words, fmt.Sprintf("Rows can differ from %s in several settings: exp compare lists them for two sides.", l[0].First))
	} else {
		s.Words = append(s.Words, report.Map(l, (*Comparison).settings)...)
	}
	if slices.ContainsFunc(l, func(c *Comparison) bool { return c.kinds }) {
		s.Words = append(s.Words, kinds)
	}
	s.Tables, s.Notes, s.Keys = []*term.Table{t}, notes.List, func([]string) string { return keys }
	return s
}

// View returns the table as a section of a page, which shows the settings elsewhere.
func (l Table) View() render.View {
	s := l.section()
	words, keys := s.Words[0], s.Keys(nil)
	s.Tables[0].Caption, s.Words, s.Keys = "Difference in points", nil, func([]string) string { return words + " " + keys }
	return render.View{Sections: []render.Section{s}}
}

// adjustedHead heads the p that decides the verdict where there are several comparisons.
const adjustedHead = "p (Holm)"

// adjustedKey explains how interval, p and verdict are related in a table of several comparisons.
func adjustedKey(of string) string {
	return fmt.Sprintf("Interval and p are for each row alone: 0 is outside exactly when p < 0.05. The verdict uses %s, adjusted for %s; intervals are not adjusted.", adjustedHead, of)
}

// noise names the sides within noise of the first.
func (l Table) noise() string {
	within := report.Filter(l, (*Comparison).Noise)
	if len(within) == 0 {
		return fmt.Sprintf("None is within noise of %s.", l[0].First)
	}
	names := report.Map(within, func(c *Comparison) string { return c.Second })
	return fmt.Sprintf("Within noise of %s: %s.", l[0].First, strings.Join(names, ", "))
}

// probability formats a p value. Near 0.05 it has one more digit, to agree with the verdict.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return format.None
	case p >= 0.04995 && p < 1-stats.Level:
		return "<0.05"
	case p >= 0.0495 && p < 0.0505:
		return format.Fixed(p, 4)
	case p < 0.0001:
		return "<0.0001"
	case p < 0.001:
		return format.Fixed(p, 4)
	}
	return format.Fixed(p, 3)
}

// rightOnTheSame is the verdict on sides that are right on the same reviews. With three classes or
// more their wrong answers may differ.
const rightOnTheSame = "right on the same"

func (c *Comparison) verdict() string {
	switch {
	case c.Difference == 0 && c.Interval == stats.Interval{} && c.Divisions == 0, c.Single() && c.Only == [2]int{}:
		return rightOnTheSame
	case c.Noise():
		return "within noise"
	case c.Difference > 0:
		return "better"
	}
	return "worse"
}

// Sentence returns the result in words, without a full stop.
func (c *Comparison) Sentence() string {
	verdict, points := c.verdict(), format.Signed(c.Difference)
	text := fmt.Sprintf("%s and %s are within noise of each other: %s", c.First, c.Second, points)
	switch {
	case verdict == rightOnTheSame:
		text = fmt.Sprintf("%s and %s are %s %s: %s", c.First, c.Second, rightOnTheSame, c.unit(), points)
	case !c.Noise():
		text = fmt.Sprintf("%s is %s than %s by %s", c.Second, verdict, c.First, format.Fixed(math.Abs(c.Difference), 2))
	}
	on := c.counted(c.Reviews)
	if c.Divisions > 0 {
		on = "test sets of " + on
	}
	text += fmt.Sprintf(" points (95 %% interval %s); %s on %s: p %s", format.FromTo(c.Interval.Low, c.Interval.High), c.Method, on, equals(c.P))
	if c.Adjusted != c.P {
		text += fmt.Sprintf(", adjusted by Holm's method %s, the interval not", equals(c.Adjusted))
	}
	switch {
	case c.Divisions > 0:
		return text + fmt.Sprintf("; %d divisions, paired; their test sets overlap", c.Divisions)
	case c.Single():
		return text + fmt.Sprintf("; only %s is right on %s, only %s on %s", c.First, format.Thousands(c.Only[0]), c.Second, format.Thousands(c.Only[1]))
	case c.Paired:
		return text + fmt.Sprintf("; %d seeds, paired", c.Seeds[0])
	}
	return text + fmt.Sprintf("; %d and %d seeds, not paired", c.Seeds[0], c.Seeds[1])
}

// Single reports whether each side has one run.
func (c *Comparison) Single() bool { return c.Seeds == [2]int{1, 1} }

func equals(p float64) string {
	text := probability(p)
	if strings.HasPrefix(text, "<") {
		return "< " + text[1:]
	}
	return "= " + text
}

// Records returns a record for each comparison. Numbers have all their digits; missing ones are empty.
func (l Table) Records() term.Records {
	names, _ := new(Comparison).fields()
	lines := term.Records{names}
	lines = append(lines, report.Map(l, (*Comparison).record)...)
	return lines
}

// fields returns the columns of the CSV with their values. They are part of its format: new ones are added at the end.
func (c *Comparison) fields() (names, values []string) {
	whole, number, yes := strconv.Itoa, format.Exact, strconv.FormatBool
	only := [2]string{}
	if c.Single() {
		only = [2]string{whole(c.Only[0]), whole(c.Only[1])}
	}
	return render.Record("first", c.First, "second", c.Second, "reviews", whole(c.Reviews),
		"seeds_first", whole(c.Seeds[0]), "seeds_second", whole(c.Seeds[1]), "paired", yes(c.Paired),
		"acc_first", number(c.Accuracy[0].Mean), "acc_second", number(c.Accuracy[1].Mean),
		"difference_points", number(c.Difference), "low", number(c.Interval.Low), "high", number(c.Interval.High),
		"method", c.Method, "p", number(c.P), "p_holm", number(c.Adjusted), "only_first_right", only[0], "only_second_right", only[1],
		"within_noise", yes(c.Noise()), "notes", report.JoinNotes(c.Notes), "differing", strings.Join(c.Differ, "; "))
}

// record returns the values of the fields, empty ones for no comparison.
func (c *Comparison) record() []string {
	if c == nil {
		_, empty := new(Comparison).fields()
		return make([]string, len(empty))
	}
	_, values := c.fields()
	return values
}

// Field returns the comparison's value in a column of the CSV; "" for an unknown column.
func (c *Comparison) Field(column string) string {
	names, values := c.fields()
	if i := slices.Index(names, column); i >= 0 {
		return values[i]
	}
	return ""
}

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
			inside := s.in(part)
			if i == 0 {
				first = inside
			}
			row := sliceRow{slice: part.Name, side: s.Name, reviews: len(inside.Answers[len(inside.Answers)-1].reviews)}
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

// in returns a side with the reviews of a slice.
func (s Side) in(part Slice) Side {
	s.Answers = report.Map(s.Answers, func(a *Answers) *Answers {
		inside := *a
		inside.reviews, inside.right, inside.at = nil, nil, nil
		for i, review := range a.reviews {
			if part.Reviews[review] {
				inside.reviews, inside.right = append(inside.reviews, review), append(inside.right, a.right[i])
			}
		}
		return &inside
	})
	return s
}

// measure sets the accuracy of a side and its interval.
func (r *sliceRow) measure(s Side) {
	var values []float64
	var own []stats.Interval
	for _, a := range s.Answers {
		right := 0
		for _, is := range a.right {
			if is {
				right++
			}
		}
		share := 100 * float64(right) / float64(len(a.right))
		values, own = append(values, share), append(own, stats.WilsonPercent(share, len(a.right)))
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
