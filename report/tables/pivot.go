package tables

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/runs"
)

// PivotOptions say what a pivot table shows.
type PivotOptions struct {
	Rows  []string // keys (see PivotKeys); none: experiment
	Cols  []string // keys; none: a single column
	Value string   // one of PivotValues; "": the first
}

// Pivot is one number of the runs over any of their settings: a table for each
// set of reviews. Seeds are averaged, and nothing else.
type Pivot struct {
	rows, cols []string
	value      pivotValue
	tables     []pivotTable
	empty      string
	leftOut    []report.Note
}

type pivotTable struct {
	title      string
	rows, cols [][]string // the values of the keys
	cells      map[string]*pivotCell
	looks      int // at test, by all runs
}

// pivotCell is where a row meets a column.
type pivotCell struct {
	groups []*Cell // one a setting; one alone is averaged
	notes  []report.Note
}

// NewPivot sorts the runs by the settings that o names. A name that is no key, or
// no value, is an error.
func NewPivot(list []*runs.Run, build Options, o PivotOptions) (*Pivot, error) {
	if len(o.Rows) == 0 {
		o.Rows = []string{"experiment"}
	}
	value, err := pivotValueOf(o.Value)
	if err != nil {
		return nil, err
	}
	rep := Build(list, build)
	p := &Pivot{rows: o.Rows, cols: o.Cols, value: value, empty: rep.Empty(), leftOut: rep.LeftOut}
	if p.empty != "" {
		return p, nil
	}
	known := PivotKeys(list)
	for i, k := range slices.Concat(o.Rows, o.Cols) {
		if !slices.Contains(known, k) {
			return nil, &UnknownKeyError{k, known}
		}
		if slices.Contains(slices.Concat(o.Rows, o.Cols)[:i], k) {
			return nil, fmt.Errorf("%s is named twice", k)
		}
	}
	for _, b := range rep.Blocks {
		p.tables = append(p.tables, p.table(b.Title, b.results()))
	}
	return p, nil
}

// Empty returns what to tell when there is nothing to show, else "".
func (p *Pivot) Empty() string { return p.empty }

func (p *Pivot) table(title string, list []*report.Result) pivotTable {
	t := pivotTable{title: title, cells: map[string]*pivotCell{}}
	runsAt := map[string][]*report.Result{}
	var at []string
	for _, r := range list {
		t.looks += r.Run.TestLooks()
		row, col := valuesOf(r, p.rows), valuesOf(r, p.cols)
		t.rows, t.cols = addValues(t.rows, row), addValues(t.cols, col)
		k := place(row, col)
		if runsAt[k] == nil {
			at = append(at, k)
		}
		runsAt[k] = append(runsAt[k], r)
	}
	sortValues(t.rows, p.rows, list)
	sortValues(t.cols, p.cols, list)
	for _, k := range at {
		t.cells[k] = p.cell(runsAt[k])
	}
	return t
}

// cell sorts the runs of one place by their settings. Those that are unfinished,
// diverged or of an older result version are left out where there are better
// ones, with a note.
func (p *Pivot) cell(list []*report.Result) *pivotCell {
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
		cell := newCell(g[0].Variant(), g, nil)
		for _, n := range cell.Notes {
			switch {
			case n.Kind == report.Oracle: // it speaks of test accuracy alone
				continue
			case n.Kind == report.Unlearned && len(kept) > 1 && len(g) == 1: // it does not say which
				n.Text = format.Short(g[0].Config.ID) + ", " + n.Text
			}
			c.notes = withNotes(c.notes, []report.Note{n})
		}
		if seed, twice := repeatedSeed(g); twice {
			c.notes = append(c.notes, report.Note{Kind: report.Repeated, Text: fmt.Sprintf("seed %d is there more than once", seed)})
			for _, r := range g {
				c.groups = append(c.groups, newCell(cell.Variant, []*report.Result{r}, nil))
			}
			continue
		}
		c.groups = append(c.groups, cell)
	}
	if len(kept) > 1 {
		c.notes = append(c.notes, report.Note{Kind: report.Repeated, Text: mixed(kept)})
	}
	if len(out) > 0 {
		c.notes = append(c.notes, leftOut(out))
	}
	return c
}

// leftOut is the note on runs that do not count.
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

// few joins words, the first few of many.
func few(words []string) string {
	const most = 5
	if n := len(words); n > most {
		words = append(slices.Clone(words[:most-1]), fmt.Sprintf("and %d more", n-most+1))
	}
	return strings.Join(words, ", ")
}
