package battery

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Table shows values: a row for each score, or for each part of the reviews.
type Table struct {
	Title string // "" for the first, which is over all reviews
	Head  []string
	Rows  [][]string
}

// Tables returns one table over all reviews with a column for each statistic, and a table
// for each statistic that is broken down by parts.
func (r *Result) Tables() []Table {
	whole, parted := []string(nil), []string(nil)
	for _, v := range r.Values {
		list := &whole
		if v.Part != "" {
			list = &parted
		}
		if !slices.Contains(*list, v.Statistic) {
			*list = append(*list, v.Statistic)
		}
	}
	var out []Table
	if whole != nil {
		of := func(v Value) (row, column string, ok bool) { return v.Of, v.Statistic, v.Part == "" }
		out = append(out, r.table("", of))
	}
	for _, s := range parted {
		of := func(v Value) (row, column string, ok bool) { return v.Of, v.Part, v.Part != "" && v.Statistic == s }
		if !slices.ContainsFunc(r.Values, func(v Value) bool { return v.Statistic == s && v.Of != "" }) {
			of = func(v Value) (row, column string, ok bool) { return v.Part, s, v.Part != "" && v.Statistic == s }
		}
		out = append(out, r.table(strings.TrimSuffix(s, " by part"), of))
	}
	return out
}

// table puts the chosen values into rows and columns, in the order of their first
// appearance.
func (r *Result) table(title string, of func(Value) (row, column string, ok bool)) Table {
	var rows, columns []string
	at := map[[2]string]Value{}
	for _, v := range r.Values {
		row, column, ok := of(v)
		if !ok {
			continue
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		at[[2]string{row, column}] = v
	}
	uneven := map[string]bool{}
	for _, v := range at {
		uneven[v.Statistic] = uneven[v.Statistic] || v.uneven()
	}
	t := Table{Title: title, Head: append([]string{""}, columns...)}
	for _, row := range rows {
		cells := []string{row}
		for _, c := range columns {
			v, ok := at[[2]string{row, c}]
			if !ok {
				cells = append(cells, "–")
				continue
			}
			cells = append(cells, v.text(uneven[v.Statistic]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// uneven reports whether the ends of the interval are at different distances.
func (v Value) uneven() bool {
	return math.Abs(float64((v.High-v.Value)-(v.Value-v.Low))) > 1e-3
}

// text returns the number with half the width of its interval, 0.312 ± 0.008, or with
// both ends, 0.996 (0.986–0.999).
func (v Value) text(ends bool) string {
	switch low, high := float64(v.Low), float64(v.High); {
	case math.IsNaN(float64(v.Value)):
		return "–"
	case math.IsNaN(high - low):
		return fixed(float64(v.Value))
	case ends:
		return fixed(float64(v.Value)) + " (" + fixed(low) + "–" + fixed(high) + ")"
	default:
		return fixed(float64(v.Value)) + " ± " + fixed((high-low)/2)
	}
}

func fixed(x float64) string {
	text := strings.Replace(fmt.Sprintf("%.3f", x), "-", "−", 1)
	if text == "−0.000" {
		return "0.000"
	}
	return text
}
