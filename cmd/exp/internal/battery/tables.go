package battery

import (
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// Tables returns one table over all reviews with a row for each score and a column for each
// statistic, and, with a caption, a table for each statistic that is broken down by parts.
func (r *Result) Tables() []*term.Table {
	var parted []string
	whole := false
	for _, v := range r.Values {
		if whole = whole || v.Part == ""; v.Part != "" && !slices.Contains(parted, v.Statistic) {
			parted = append(parted, v.Statistic)
		}
	}
	var out []*term.Table
	if whole {
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
func (r *Result) table(caption string, of func(Value) (row, column string, ok bool)) *term.Table {
	var rows []string
	t := &term.Table{Caption: caption, Columns: []term.Column{{}}}
	at, uneven := map[[2]string]Value{}, map[string]bool{}
	for _, v := range r.Values {
		row, column, ok := of(v)
		if !ok {
			continue
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if c := (term.Column{Head: column, Right: true}); !slices.Contains(t.Columns, c) {
			t.Columns = append(t.Columns, c)
		}
		at[[2]string{row, column}] = v
		uneven[v.Statistic] = uneven[v.Statistic] || v.uneven()
	}
	for _, row := range rows {
		cells := []string{row}
		for _, c := range t.Columns[1:] {
			cell := "–"
			if v, ok := at[[2]string{row, c.Head}]; ok {
				cell = v.text(uneven[v.Statistic])
			}
			cells = append(cells, cell)
		}
		t.Add(cells...)
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
	case math.IsNaN(high - low):
		return fixed(float64(v.Value))
	case ends:
		return fixed(float64(v.Value)) + " (" + fixed(low) + "–" + fixed(high) + ")"
	default:
		return fixed(float64(v.Value)) + " ± " + fixed((high-low)/2)
	}
}

func fixed(x float64) string { return format.Fixed(x, 3) }
