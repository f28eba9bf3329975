// Package render answers: how does a table with its footnotes look as text, Markdown,
// LaTeX and HTML? It knows no runs: what stands in the entries is its callers' matter.
package render

import (
	"slices"
	"strings"

	"imdbexp/internal/format"
)

// Table is a table before it is rendered in one format.
type Table struct {
	Caption string
	Columns []Column
	rows    [][]Entry // as wide as columns
	Folds   int       // columns that do not fit stand below, behind this many first ones; 0: they are left out

	Captioned bool // the caption is shown also where other tables go without
}

// Column heads a column. Those of a higher level are left out first where the
// width is short; level 0 always stays.
type Column struct {
	Head  string
	Left  bool // text, set flush left; numbers are set flush right
	Level int
	Moves bool // where it is left out, what it says stands beneath another entry

	Keep   bool // even where no row fills it
	Traces bool // names the runs behind the row
	Cites  bool // says how to cite them
}

// Entry is what stands in one place of a table.
type Entry struct {
	Text  string
	More  string // set behind the text, or beneath it where the width is short
	Low   string // likewise, where only level 0 is left
	Marks []int  // footnotes
	Faint bool
}

// Add adds a row, an entry a column.
func (t *Table) Add(row ...Entry) { t.rows = append(t.rows, row) }

// marks returns the numbers of the footnotes that the table marks, rising.
func (t *Table) marks() []int {
	var out []int
	for _, row := range t.rows {
		for _, e := range row {
			out = append(out, e.Marks...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (t *Table) levels() int {
	top := 0
	for _, c := range t.Columns {
		top = max(top, c.Level)
	}
	return top
}

// upTo returns the table without the columns above a level.
func (t *Table) upTo(level int) *Table {
	out := &Table{Caption: t.Caption, Folds: t.Folds, Captioned: t.Captioned, rows: make([][]Entry, len(t.rows))}
	for i, c := range t.Columns {
		if c.Level > level {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range t.rows {
			e := row[i]
			if level == 0 {
				e.More = strings.TrimSpace(e.Low + " " + e.More)
			}
			out.rows[j] = append(out.rows[j], e)
		}
	}
	return out
}

// Filled returns the table without the columns that no row has anything in.
func (t *Table) Filled() *Table {
	out := &Table{Caption: t.Caption, Folds: t.Folds, Captioned: t.Captioned, rows: make([][]Entry, len(t.rows))}
	for i, c := range t.Columns {
		used := c.Keep
		for _, row := range t.rows {
			used = used || row[i].Text != "" && row[i].Text != format.None
		}
		if !used {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range t.rows {
			out.rows[j] = append(out.rows[j], row[i])
		}
	}
	return out
}

// without returns the table without the columns from … to−1.
func (t *Table) without(from, to int) *Table {
	out := &Table{Caption: t.Caption, Folds: t.Folds, Captioned: t.Captioned, Columns: slices.Delete(slices.Clone(t.Columns), from, to)}
	for _, row := range t.rows {
		out.Add(slices.Delete(slices.Clone(row), from, to)...)
	}
	return out
}
