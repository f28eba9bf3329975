package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
)

// Table is a table of comparisons with the same first side.
type Table []*Comparison

// Text writes the table and what it says in words, at most width columns wide (0:
// as wide as they get), in colour or not.
func (l Table) Text(w io.Writer, width int, color bool) error {
	return l.sheet().Text(w, width, color)
}

// Markdown writes the same as a pipe table.
func (l Table) Markdown(w io.Writer) error { return l.sheet().Markdown(w) }

func (l Table) sheet() render.Sheet {
	var notes render.Footnotes
	unit, score := l[0].unit(), l[0].score()
	t := &render.Table{Columns: []render.Column{
		{Head: "", Left: true, Keep: true}, {Head: "seeds", Level: 2}, {Head: unit, Level: 4}, {Head: score, Keep: true}, {Head: "difference", Keep: true},
		{Head: "95 % interval"}, {Head: "p", Level: 2}, {Head: adjustedHead, Level: 1}, {Head: "verdict", Left: true, Level: 3},
	}}
	first := l[0] // of several the one that sees most of the first side
	for _, c := range l {
		if c.Reviews > first.Reviews {
			first = c
		}
	}
	t.Add(render.Entry{Text: first.First}, render.Entry{Text: fmt.Sprint(first.Seeds[0])}, render.Entry{Text: format.Thousands(first.Reviews)}, render.Entry{Text: format.Fixed(first.Accuracy[0].Mean, 2), More: spread(first.Accuracy[0])},
		render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{}, render.Entry{})
	for _, c := range l {
		adjusted := render.Entry{}
		if len(l) > 1 {
			adjusted.Text = probability(c.Adjusted)
		}
		t.Add(render.Entry{Text: c.Second, Marks: notes.Mark(c.Notes)}, render.Entry{Text: fmt.Sprint(c.Seeds[1])}, render.Entry{Text: format.Thousands(c.Reviews)},
			render.Entry{Text: format.Fixed(c.Accuracy[1].Mean, 2), More: spread(c.Accuracy[1])}, render.Entry{Text: format.Signed(c.Difference)},
			render.Entry{Text: format.FromTo(c.Interval.Low, c.Interval.High)}, render.Entry{Text: probability(c.P)}, adjusted, render.Entry{Text: c.verdict()})
	}
	title := fmt.Sprintf("Test %s on %s common %s", score, format.Thousands(first.Reviews), unit)
	if len(l) > 1 {
		title = fmt.Sprintf("Test %s on common %s, each beside %s", score, unit, first.First)
	}
	if len(l) == 1 { // nothing is adjusted
		t.Columns[6].Level, t = 1, t.Filled()
	}
	s := render.Sheet{Title: title, Table: t, Keys: map[bool]string{false: "Accuracies", true: "Exact matches"}[l[0].Pairs] + " in percent, differences in points; ±: standard deviation over (n) seeds."}
	if len(l) == 1 {
		s.Words = []string{first.Sentence() + "."}
	} else {
		s.Words = []string{l.noise()}
		s.Keys += " " + adjustedKey(fmt.Sprintf("%d comparisons", len(l)))
	}
	for _, c := range l {
		if text := c.apart(); text != "" {
			s.Words = append(s.Words, text)
		}
	}
	if slices.ContainsFunc(l, func(c *Comparison) bool { return c.known && c.kinds }) {
		s.Words = append(s.Words, kinds)
	}
	s.Notes = notes.List
	return s
}

// View returns the table as a section of a page, which has the settings of its rows already.
func (l Table) View() render.View {
	s := l.sheet()
	s.Table.Caption = "Difference in points"
	return render.View{Sections: []render.Section{{
		Title: s.Title, Tables: []*render.Table{s.Table}, Notes: s.Notes,
		Keys: func([]string) string { return s.Words[0] + " " + s.Keys },
	}}}
}

// adjustedHead heads the p by which verdicts go where there are several.
const adjustedHead = "p (Holm)"

// adjustedKey says what interval, p and verdict have to do with each other in a table of
// so many comparisons.
func adjustedKey(of string) string {
	return fmt.Sprintf("Interval and p are of each row alone: 0 is outside exactly when p < 0.05. The verdict goes by %s, adjusted for %s; intervals are not adjusted.", adjustedHead, of)
}

// noise names the sides that are within noise of the first.
func (l Table) noise() string {
	var names []string
	for _, c := range l {
		if c.Noise() {
			names = append(names, c.Second)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("None is within noise of %s.", l[0].First)
	}
	return fmt.Sprintf("Within noise of %s: %s.", l[0].First, strings.Join(names, ", "))
}

// spread is the standard deviation over seeds, where there are several.
func spread(m stats.Moments) string {
	if m.N < 2 {
		return ""
	}
	return fmt.Sprintf("± %s (%d)", format.Fixed(m.SD, 2), m.N)
}

// probability formats a p value. Next to 0.05 it has a digit more, so that it never looks
// to be on the other side of it than the verdict is.
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

// rightOnTheSame is the verdict on sides of which neither is right where the other is not. With
// three classes and more they may be wrong in other ways.
const rightOnTheSame = "right on the same"

func (c *Comparison) verdict() string {
	switch {
	case c.Difference == 0 && c.Interval == stats.Interval{}, c.Single() && c.Only == [2]int{}:
		return rightOnTheSame
	case c.Noise():
		return "within noise"
	case c.Difference > 0:
		return "better"
	}
	return "worse"
}

// Sentence says the result in words, without a full stop.
func (c *Comparison) Sentence() string {
	var b strings.Builder
	if c.verdict() == rightOnTheSame {
		fmt.Fprintf(&b, "%s and %s are %s %s: %s points (95 %% interval %s)", c.First, c.Second, rightOnTheSame, c.unit(),
			format.Signed(c.Difference), format.FromTo(c.Interval.Low, c.Interval.High))
	} else if c.Noise() {
		fmt.Fprintf(&b, "%s and %s are within noise of each other: %s points (95 %% interval %s)", c.First, c.Second,
			format.Signed(c.Difference), format.FromTo(c.Interval.Low, c.Interval.High))
	} else {
		fmt.Fprintf(&b, "%s is %s than %s by %s points (95 %% interval %s)", c.Second, c.verdict(), c.First,
			format.Fixed(math.Abs(c.Difference), 2), format.FromTo(c.Interval.Low, c.Interval.High))
	}
	fmt.Fprintf(&b, "; %s on %s: p %s", c.Method, c.counted(c.Reviews), equals(c.P))
	if c.Adjusted != c.P {
		fmt.Fprintf(&b, ", adjusted by Holm's method %s, the interval not", equals(c.Adjusted))
	}
	switch {
	case c.Single():
		fmt.Fprintf(&b, "; only %s is right on %s, only %s on %s", c.First, format.Thousands(c.Only[0]), c.Second, format.Thousands(c.Only[1]))
	case c.Paired:
		fmt.Fprintf(&b, "; %d seeds, paired", c.Seeds[0])
	default:
		fmt.Fprintf(&b, "; %d and %d seeds, not paired", c.Seeds[0], c.Seeds[1])
	}
	return b.String()
}

// Single reports whether it is of one run a side.
func (c *Comparison) Single() bool { return c.Seeds == [2]int{1, 1} }

func equals(p float64) string {
	text := probability(p)
	if strings.HasPrefix(text, "<") {
		return "< " + text[1:]
	}
	return "= " + text
}

// comparisonFields are the columns of the CSV, part of its format: new ones are
// added at the end.
var comparisonFields = []string{
	"first", "second", "reviews", "seeds_first", "seeds_second", "paired", "acc_first", "acc_second",
	"difference_points", "low", "high", "method", "p", "p_holm", "only_first_right", "only_second_right", "within_noise", "notes", "differing",
}

// CSV writes a line a comparison. Numbers have all their digits; what there is not
// is empty.
func (l Table) CSV(w io.Writer) error {
	lines := [][]string{comparisonFields}
	for _, c := range l {
		lines = append(lines, c.fields())
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// fields returns the comparison as comparisonFields has them.
func (c *Comparison) fields() []string {
	var notes []string
	for _, n := range c.Notes {
		notes = append(notes, n.String())
	}
	only := [2]string{}
	if c.Single() {
		only = [2]string{strconv.Itoa(c.Only[0]), strconv.Itoa(c.Only[1])}
	}
	return []string{
		c.First, c.Second, strconv.Itoa(c.Reviews), strconv.Itoa(c.Seeds[0]), strconv.Itoa(c.Seeds[1]), strconv.FormatBool(c.Paired),
		format.Exact(c.Accuracy[0].Mean), format.Exact(c.Accuracy[1].Mean), format.Exact(c.Difference), format.Exact(c.Interval.Low), format.Exact(c.Interval.High),
		c.Method, format.Exact(c.P), format.Exact(c.Adjusted), only[0], only[1], strconv.FormatBool(c.Noise()), strings.Join(notes, "; "), joined(c.Differ, "; "),
	}
}

// Field returns what the CSV has of the comparison in a column, "" where it has no such.
func (c *Comparison) Field(column string) string {
	if i := slices.Index(comparisonFields, column); i >= 0 {
		return c.fields()[i]
	}
	return ""
}
