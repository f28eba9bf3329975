package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/runs"
)

// PivotOptions are the options of a pivot table.
type PivotOptions struct {
	Rows  []string // keys, see PivotKeys; none: experiment
	Cols  []string // keys; none: a single column
	Value string   // one of PivotValues; "": the first
}

// Pivot is one number of the runs over any of their settings: a table for each set of reviews.
// Only seeds are averaged.
type Pivot struct {
	render.View
	rows, cols []string
	value      Number
	tables     []pivotTable
}

type pivotTable struct {
	title       string
	rows, cols  [][]string // the values of the keys
	cells       map[string]*pivotCell
	evaluations int // on the test set, by all runs
}

// pivotCell holds the runs of one row and one column.
type pivotCell struct {
	groups []*Cell // one for each setting; a single one is averaged
	notes  []report.Note
}

// NewPivot sorts the runs by the settings in o. An unknown key is an UnknownKeyError.
func NewPivot(list []*runs.Run, build Options, o PivotOptions) (*Pivot, error) {
	if len(o.Rows) == 0 {
		o.Rows = []string{"experiment"}
	}
	value, err := NumberOf(o.Value)
	if err != nil {
		return nil, err
	}
	rep := Build(list, build)
	p := &Pivot{rows: o.Rows, cols: o.Cols, value: value}
	p.Message, p.LeftOut = rep.Message, rep.LeftOut
	if p.Message != "" {
		return p, nil
	}
	known, keys := PivotKeys(list), slices.Concat(o.Rows, o.Cols)
	for i, k := range keys {
		if !slices.Contains(known, k) {
			return nil, &UnknownKeyError{k, known}
		}
		if slices.Contains(keys[:i], k) {
			return nil, fmt.Errorf("%s is named twice", k)
		}
	}
	for _, b := range rep.Blocks {
		t := p.table(b.Title, b.results())
		p.tables, p.Sections = append(p.tables, t), append(p.Sections, p.section(t))
	}
	return p, nil
}

func (p *Pivot) table(title string, list []*report.Result) pivotTable {
	t := pivotTable{title: title, rows: axis(p.rows, list), cols: axis(p.cols, list), cells: map[string]*pivotCell{}}
	for _, r := range list {
		t.evaluations += r.Run.TestEvaluations()
	}
	at := func(r *report.Result) string { return place(valuesOf(r, p.rows), valuesOf(r, p.cols)) }
	for _, g := range report.GroupBy(list, at) {
		t.cells[at(g[0])] = newPivotCell(g)
	}
	return t
}

// newPivotCell sorts the runs of one cell by their settings. Runs that are unfinished, diverged or
// of an older result version are left out if there are better ones, with a note.
func newPivotCell(list []*report.Result) *pivotCell {
	c := &pivotCell{}
	groups := report.Grouped(list)
	best := groups[0][0]
	var out []*report.Result
	var kept [][]*report.Result
	for i, g := range groups {
		if i == 0 || best.Finished && g[0].Finished && g[0].Config.Behind() == best.Config.Behind() {
			kept = append(kept, g)
		} else {
			out = append(out, g...)
		}
	}
	for _, g := range kept {
		for _, n := range newCell(g[0].Variant(), g, nil).Notes {
			if n.Kind == report.Unlearned && len(kept) > 1 && len(g) == 1 { // say which run
				n.Text = format.Short(g[0].Config.ID) + ", " + n.Text
			}
			c.notes = withNotes(c.notes, []report.Note{n})
		}
		if n, twice := repeatedSeed(g); twice {
			c.notes = append(c.notes, n)
		}
		c.groups = append(c.groups, oneSetting(g[0].Variant(), g, nil)...)
	}
	if len(kept) > 1 {
		c.notes = append(c.notes, report.Note{Kind: report.Repeated, Text: mixed(kept)})
	}
	if len(out) > 0 {
		c.notes = append(c.notes, leftOut(out))
	}
	return c
}

// leftOut returns the note on runs that the cell omits.
func leftOut(list []*report.Result) report.Note {
	var names []string
	for _, r := range list {
		names = append(names, r.Config.Name+"/"+format.Short(r.Config.ID))
	}
	kind := report.Older
	if notes := report.ProgressNotes(list[0]); len(notes) > 0 {
		kind = notes[0].Kind
	}
	return report.Note{Kind: kind, Text: few(names) + " left out"}
}

// few joins words. It shortens a long list to its first words.
func few(words []string) string {
	const limit = 5
	if n := len(words); n > limit {
		words = append(slices.Clone(words[:limit-1]), fmt.Sprintf("and %d more", n-limit+1))
	}
	return strings.Join(words, ", ")
}

// Records returns a record for each setting in each cell, so that nothing is mixed: the data, the keys,
// mean and standard deviation over the seeds with all their digits, the number of seeds, the IDs
// of the runs, and the notes.
func (p *Pivot) Records() term.Records {
	lines := term.Records{slices.Concat([]string{"data"}, p.rows, p.cols, []string{p.value.Name, "sd", "seeds", "runs", "notes"})}
	for _, t := range p.tables {
		for _, r := range t.rows {
			for _, c := range t.cols {
				cell := t.cells[place(r, c)]
				if cell == nil {
					continue
				}
				for _, g := range cell.groups {
					m, damaged := p.value.over(g)
					lines = append(lines, slices.Concat([]string{g.Runs[0].Config.Data.Name}, r, c,
						[]string{format.Exact(m.Mean), format.Exact(m.SD), strconv.Itoa(m.N), report.IDs(g.Runs), report.JoinNotes(slices.Concat(cell.notes, damaged))}))
				}
			}
		}
	}
	return lines
}
