package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"imdbexp/report/stats"
)

// Comparisons is a table of comparisons with the same first side.
type Comparisons []*Comparison

// Text writes the table and what it says in words, at most width columns wide (0:
// as wide as they get), in colour or not.
func (l Comparisons) Text(w io.Writer, width int, color bool) error {
	return l.sheet().text(w, width, color)
}

// Markdown writes the same as a pipe table.
func (l Comparisons) Markdown(w io.Writer) error { return l.sheet().markdown(w) }

func (l Comparisons) sheet() sheet {
	var notes footnotes
	unit, score := l[0].unit(), l[0].score()
	t := &table{columns: []column{
		{head: "", left: true, keep: true}, {head: "seeds", level: 2}, {head: unit, level: 4}, {head: score, keep: true}, {head: "difference", keep: true},
		{head: "95 % interval"}, {head: "p", level: 1}, {head: "verdict", left: true, level: 3},
	}}
	first := l[0] // of several the one that sees most of the first side
	for _, c := range l {
		if c.Reviews > first.Reviews {
			first = c
		}
	}
	t.add(entry{text: first.First}, entry{text: fmt.Sprint(first.Seeds[0])}, entry{text: thousands(first.Reviews)}, entry{text: percent(first.Accuracy[0].Mean), more: spread(first.Accuracy[0])},
		entry{}, entry{}, entry{}, entry{})
	for _, c := range l {
		t.add(entry{text: c.Second, marks: notes.mark(c.Notes)}, entry{text: fmt.Sprint(c.Seeds[1])}, entry{text: thousands(c.Reviews)},
			entry{text: percent(c.Accuracy[1].Mean), more: spread(c.Accuracy[1])}, entry{text: signed(c.Difference)},
			entry{text: fromTo(c.Interval.Low, c.Interval.High)}, entry{text: probability(c.Adjusted)}, entry{text: c.verdict()})
	}
	title := fmt.Sprintf("Test %s on %s common %s", score, thousands(first.Reviews), unit)
	if len(l) > 1 {
		title = fmt.Sprintf("Test %s on common %s, each beside %s", score, unit, first.First)
	}
	s := sheet{title: title, table: t, keys: map[bool]string{false: "Accuracies", true: "Exact matches"}[l[0].Pairs] + " in percent, differences in points; ±: standard deviation over (n) seeds."}
	if len(l) == 1 {
		s.words = []string{first.Sentence() + "."}
	} else {
		s.words = []string{l.noise()}
		s.keys += fmt.Sprintf(" p: adjusted for %d comparisons by Holm's method.", len(l))
	}
	s.notes = notes.list
	return s
}

// noise names the sides that are within noise of the first.
func (l Comparisons) noise() string {
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
func spread(m Moments) string {
	if m.N < 2 {
		return ""
	}
	return fmt.Sprintf("± %s (%d)", percent(m.SD), m.N)
}

func fromTo(low, high float64) string { return signed(low) + " to " + signed(high) }

// probability formats a p value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return none
	case p < 0.0001:
		return "<0.0001"
	case p < 0.001:
		return fixed(p, 4)
	}
	return fixed(p, 3)
}

func (c *Comparison) verdict() string {
	switch {
	case c.Difference == 0 && c.Interval == stats.Interval{}, c.Single() && c.Only == [2]int{}:
		return "the same"
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
	if c.Noise() {
		fmt.Fprintf(&b, "%s and %s are within noise of each other: %s points (95 %% interval %s)", c.First, c.Second,
			signed(c.Difference), fromTo(c.Interval.Low, c.Interval.High))
	} else {
		fmt.Fprintf(&b, "%s is %s than %s by %s points (95 %% interval %s)", c.Second, c.verdict(), c.First,
			fixed(math.Abs(c.Difference), 2), fromTo(c.Interval.Low, c.Interval.High))
	}
	fmt.Fprintf(&b, "; %s on %s: p %s", c.Method, c.counted(c.Reviews), equals(c.P))
	if c.Adjusted != c.P {
		fmt.Fprintf(&b, ", adjusted %s", equals(c.Adjusted))
	}
	switch {
	case c.Single():
		fmt.Fprintf(&b, "; only %s is right on %s, only %s on %s", c.First, thousands(c.Only[0]), c.Second, thousands(c.Only[1]))
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
	"difference_points", "low", "high", "method", "p", "p_holm", "only_first_right", "only_second_right", "within_noise", "notes",
}

// CSV writes a line a comparison. Numbers have all their digits; what there is not
// is empty.
func (l Comparisons) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(comparisonFields); err != nil {
		return err
	}
	for _, c := range l {
		if err := out.Write(c.fields()); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
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
		exact(c.Accuracy[0].Mean), exact(c.Accuracy[1].Mean), exact(c.Difference), exact(c.Interval.Low), exact(c.Interval.High),
		c.Method, exact(c.P), exact(c.Adjusted), only[0], only[1], strconv.FormatBool(c.Noise()), strings.Join(notes, "; "),
	}
}
