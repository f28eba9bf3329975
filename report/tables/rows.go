package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"imdbexp/report"
)

// rows sorts the runs of one block into rows.
func rows(list []*report.Result) []Row {
	naming := newNaming(list)
	type key struct {
		rowGroup
		label string
	}
	byKey := map[key][]*report.Result{}
	for _, r := range list {
		k := key{rowGroup: rowGroupOf(r), label: naming.label(r)}
		byKey[k] = append(byKey[k], r)
	}
	keys := slices.SortedFunc(maps.Keys(byKey), func(a, b key) int {
		return cmp.Or(a.compare(b.rowGroup), cmp.Compare(a.label, b.label))
	})
	var out []Row
	for _, k := range keys {
		same := byKey[k]
		columns := map[string][]*Cell{}
		height := 0
		for _, v := range variantsOf(same, false) {
			columns[v] = cells(v, same)
			height = max(height, len(columns[v]))
		}
		for i := range height {
			row := Row{Name: k.name, Optimizer: k.optimizer, Settings: strings.Fields(k.label), Cells: map[string]*Cell{}}
			for v, c := range columns {
				if i < len(c) {
					row.Cells[v] = c[i]
				}
			}
			row.publish()
			out = append(out, row)
		}
	}
	return out
}

// Label names the row as one would type it: "tme9-lstm sgd select=best".
func (r Row) Label() string {
	return strings.Join(append([]string{r.Name, r.Optimizer}, r.Settings...), " ")
}

// cells averages the runs of one variant of a row over seeds, and over nothing
// else: runs that differ in anything but the seed, repeat a seed or did not
// finish have cells of their own, each with a note that tells why. Finished runs
// of the newest result version come first.
func cells(column string, row []*report.Result) []*Cell {
	groups := report.Grouped(slices.DeleteFunc(slices.Clone(row), func(r *report.Result) bool { return r.Variant() != column }))
	var out []*Cell
	for i, g := range groups {
		var extra []report.Note
		if i > 0 && len(report.ProgressNotes(g[0])) == 0 {
			extra = []report.Note{{Kind: report.Repeated, Text: "with the row above: " + unlike(groups[0][0], g[0])}}
		}
		out = append(out, oneSetting(column, g, extra)...)
	}
	return out
}

// oneSetting averages runs that differ by nothing but the seed, unless one is there
// twice.
func oneSetting(column string, g []*report.Result, extra []report.Note) []*Cell {
	seed, twice := repeatedSeed(g)
	if !twice {
		return []*Cell{newCell(column, g, extra)}
	}
	var out []*Cell
	for _, r := range g {
		n := report.Note{Kind: report.Repeated, Text: fmt.Sprintf("seed %d is there more than once", seed)}
		out = append(out, newCell(column, []*report.Result{r}, append(slices.Clone(extra), n)))
	}
	return out
}
