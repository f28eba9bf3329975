package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// UnknownKeyError is a key of a pivot table that no run has.
type UnknownKeyError struct {
	Key   string
	Known []string
}

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("no run has a setting %q", e.Key)
}

// PivotKeys returns the keys that rows and columns of a pivot table can have: experiment, model,
// variant, and every setting of the runs in order of declaration.
func PivotKeys(list []*runs.Run) []string {
	out := []string{"experiment", "model", "variant"}
	seen := map[string]bool{"variant": true}
	for _, r := range list {
		for _, s := range r.Config.Settings {
			if !seen[s.Key] {
				seen[s.Key] = true
				out = append(out, s.Key)
			}
		}
	}
	return out
}

// keyValue returns the value of a run for a key of PivotKeys; "" for a setting without an effect on its
// model.
func keyValue(r *report.Result, key string) string {
	switch key {
	case "experiment":
		return r.Config.Name
	case "model":
		return r.Config.Model
	case "variant":
		return r.Variant()
	case "optimizer":
		return r.Optimizer()
	}
	return r.Config.Used(key)
}

func valuesOf(r *report.Result, keys []string) []string {
	return report.Each(keys, func(k string) string { return keyValue(r, k) })
}

// place names the cell of a row and a column.
func place(row, col []string) string { return fmt.Sprintf("%q%q", row, col) }

// axis returns the values of the keys that the runs have: numbers by size, experiments and models as in the
// published report, variants as in its table.
func axis(keys []string, list []*report.Result) (out [][]string) {
	for _, same := range report.GroupBy(list, func(r *report.Result) string { return place(valuesOf(r, keys), nil) }) {
		out = append(out, valuesOf(same[0], keys))
	}
	slices.SortStableFunc(out, func(a, b []string) int {
		for i, k := range keys {
			if c := compareValues(k, a[i], b[i], list); c != 0 {
				return c
			}
		}
		return 0
	})
	return out
}

func compareValues(key, a, b string, list []*report.Result) int {
	rank := func(v string) int {
		first, n := math.MaxInt, len(report.Variants)+1
		for _, r := range list {
			if (key == "experiment" || key == "model") && keyValue(r, key) == v {
				first = min(first, r.Rank)
			}
		}
		if key == "variant" {
			return (slices.Index(report.Variants, v) + n) % n
		}
		return first
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// mixed says that the runs of one cell differ in more than the seed. Each group holds the runs of one setting.
func mixed(groups [][]*report.Result) string {
	names := report.Names(report.Each(groups, func(g []*report.Result) []*runs.Run { return []*runs.Run{g[0].Run} }))
	slices.Sort(names)
	return fmt.Sprintf("runs of %d settings: %s; add what differs to the rows or columns, or name the runs to show", len(groups), few(names))
}

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
