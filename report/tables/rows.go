package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// rows sorts the runs of one block into rows.
func rows(list []*report.Result) (out []Row) {
	usual := report.Usual{}
	for _, r := range list {
		usual.Add(&r.Config)
	}
	settings := func(r *report.Result) string { return strings.Join(report.GivenTo(&r.Config, usual), " ") }
	groups := report.GroupBy(list, func(r *report.Result) string { return r.Config.Name + " " + r.Optimizer() + " " + settings(r) })
	slices.SortStableFunc(groups, func(x, y []*report.Result) int {
		return cmp.Or(report.ByExperiment(x[0], y[0]), cmp.Compare(settings(x[0]), settings(y[0])))
	})
	for _, same := range groups {
		first := len(out)
		for _, v := range variantsOf(same, false) {
			for i, c := range cells(v, same) {
				if first+i == len(out) {
					out = append(out, Row{Name: same[0].Config.Name, Optimizer: same[0].Optimizer(), Settings: strings.Fields(settings(same[0])), Cells: map[string]*Cell{}})
				}
				out[first+i].Cells[v] = c
			}
		}
		for i := range out[first:] {
			out[first+i].publish()
		}
	}
	return out
}

// fill adds a line to a table for the published numbers of each row and for each of its cells. A
// line begins with the row's label, where it is the row's first, and the variant.
func (b *Block) fill(t *term.Table, published func(*runs.Published) []term.Cell, of func(*Cell) []term.Cell) *term.Table {
	for _, row := range b.Rows {
		label := row.Label()
		add := func(variant string, cells []term.Cell) {
			t.AddCells(append([]term.Cell{{Text: label}, {Text: variant}}, cells...)...)
			label = ""
		}
		if row.Published != nil {
			add("published", published(row.Published))
		}
		for _, v := range b.Variants {
			if c := row.Cells[v]; c != nil {
				add(v, of(c))
			}
		}
	}
	return t.Filled()
}

// Label names the row as the user would type it: "tme9-lstm sgd select=best".
func (r Row) Label() string {
	return strings.Join(append([]string{r.Name, r.Optimizer}, r.Settings...), " ")
}

// cells averages the runs of one variant of a row over seeds only. Runs that differ in more than
// the seed, repeat a seed or did not finish have their own cells, with a note that says why.
// Finished runs of the newest result version come first.
func cells(column string, row []*report.Result) (out []*Cell) {
	groups := report.Grouped(slices.DeleteFunc(slices.Clone(row), func(r *report.Result) bool { return r.Variant() != column }))
	for _, g := range groups {
		out = append(out, oneSetting(column, g, apart("row above", groups[0][0], g[0]))...)
	}
	return out
}

// apart returns the note on a run that is not averaged with the first of its name.
func apart(with string, first, r *report.Result) []report.Note {
	if r == first || len(report.ProgressNotes(r)) > 0 {
		return nil
	}
	return []report.Note{{Kind: report.Repeated, Text: "with " + with + ": " + unlike(first, r)}}
}

// oneSetting averages runs that differ only in the seeds, unless a seed occurs twice.
func oneSetting(column string, g []*report.Result, extra []report.Note) []*Cell {
	n, twice := repeatedSeed(g)
	if !twice {
		return []*Cell{newCell(column, g, extra)}
	}
	return report.Each(g, func(r *report.Result) *Cell {
		return newCell(column, []*report.Result{r}, append(slices.Clone(extra), n))
	})
}

// repeatedSeed returns a note on the first seed that occurs twice, if any. g is in order of seeds.
func repeatedSeed(g []*report.Result) (note report.Note, twice bool) {
	seed, twice := report.RepeatedSeed(g)
	return report.Note{Kind: report.Repeated, Text: fmt.Sprintf("seed %d is there more than once", seed)}, twice
}

// unlike describes how two runs of the same settings differ.
func unlike(a, b *report.Result) string {
	for _, k := range slices.Sorted(maps.Keys(b.Config.Digests)) {
		if a.Config.Digests[k] != b.Config.Digests[k] {
			return "other " + k + ", digest " + format.Short(b.Config.Digests[k])
		}
	}
	if a.Config.Model != b.Config.Model {
		return "other model, " + b.Config.Model
	}
	return "settings that one of them does not have"
}
