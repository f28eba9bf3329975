package report

import (
	"slices"
	"strings"
)

// table is a table before it is rendered in one format.
type table struct {
	caption string
	columns []column
	rows    [][]entry // as wide as columns
	folds   int       // columns that do not fit stand below, behind this many first ones; 0: they are left out

	captioned bool // the caption is shown also where other tables go without
}

// column heads a column. Those of a higher level are left out first where the
// width is short; level 0 always stays.
type column struct {
	head  string
	left  bool // text, set flush left; numbers are set flush right
	level int

	keep   bool // even where no row fills it
	traces bool // names the runs behind the row
	cites  bool // says how to cite them
}

// entry is what stands in one place of a table.
type entry struct {
	text  string
	more  string // set behind the text, or beneath it where the width is short
	low   string // likewise, where only level 0 is left
	marks []int  // footnotes
	faint bool
}

func (t *table) add(row ...entry) { t.rows = append(t.rows, row) }

// marks returns the numbers of the footnotes that the table marks, rising.
func (t *table) marks() []int {
	var out []int
	for _, row := range t.rows {
		for _, e := range row {
			out = append(out, e.marks...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (t *table) levels() int {
	top := 0
	for _, c := range t.columns {
		top = max(top, c.level)
	}
	return top
}

// upTo returns the table without the columns above a level.
func (t *table) upTo(level int) *table {
	out := &table{caption: t.caption, folds: t.folds, captioned: t.captioned, rows: make([][]entry, len(t.rows))}
	for i, c := range t.columns {
		if c.level > level {
			continue
		}
		out.columns = append(out.columns, c)
		for j, row := range t.rows {
			e := row[i]
			if level == 0 {
				e.more = strings.TrimSpace(e.low + " " + e.more)
			}
			out.rows[j] = append(out.rows[j], e)
		}
	}
	return out
}

// filled returns the table without the columns that no row has anything in.
func (t *table) filled() *table {
	out := &table{caption: t.caption, folds: t.folds, captioned: t.captioned, rows: make([][]entry, len(t.rows))}
	for i, c := range t.columns {
		used := c.keep
		for _, row := range t.rows {
			used = used || row[i].text != "" && row[i].text != none
		}
		if !used {
			continue
		}
		out.columns = append(out.columns, c)
		for j, row := range t.rows {
			out.rows[j] = append(out.rows[j], row[i])
		}
	}
	return out
}

// without returns the table without the columns from … to−1.
func (t *table) without(from, to int) *table {
	out := &table{caption: t.caption, folds: t.folds, captioned: t.captioned, columns: slices.Delete(slices.Clone(t.columns), from, to)}
	for _, row := range t.rows {
		out.add(slices.Delete(slices.Clone(row), from, to)...)
	}
	return out
}
