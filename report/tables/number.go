package tables

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Number is a number of a run that pivot tables and trends can show.
type Number struct {
	Name, Title, Unit string
	Of                func(*report.Result) (float64, error)
	decimals          int
}

// numbers are the metrics that have a title, with the test accuracy first, and macro-F1 by the
// predictions.
var numbers = func() (out []Number) {
	chosen := func(key string) func(*report.Result) (float64, error) {
		return func(r *report.Result) (float64, error) { return r.Chosen.Get(key), nil }
	}
	for _, m := range runs.AllMetrics() {
		switch n := (Number{m.Key, m.Title, m.Unit, chosen(m.Key), m.Decimals}); {
		case m.Key == "test_acc":
			out = slices.Insert(out, 0, n)
		case m.Title != "":
			out = append(out, n)
		}
	}
	return append(out, Number{"grad_norm", "Gradient norm", "", chosen("grad_norm"), 3}, Number{"macro_f1", "Macro-F1 on test", "percent", (*report.Result).AnyMacroF1, 2})
}()

// PivotValues returns the names of the numbers that a pivot table can show.
func PivotValues() []string {
	return report.Each(numbers, func(n Number) string { return n.Name })
}

// NumberOf returns the number of a name, one of PivotValues; "" for the first of them.
func NumberOf(name string) (Number, error) {
	if name == "" {
		return numbers[0], nil
	}
	i := slices.IndexFunc(numbers, func(n Number) bool { return n.Name == name })
	if i < 0 {
		return Number{}, fmt.Errorf("no value %q: use one of %s", name, strings.Join(PivotValues(), ", "))
	}
	return numbers[i], nil
}

// over summarises the number over the runs of a cell, with notes on what could not be read.
func (n Number) over(c *Cell) (m stats.Moments, notes []report.Note) {
	m = c.over(func(r *report.Result) float64 {
		x, err := n.Of(r)
		if err != nil {
			notes = append(notes, report.Note{Kind: report.Damaged, Text: err.Error()})
		}
		return x
	})
	return m, notes
}
