package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table is a table of text. A table wider than the terminal is narrowed in steps:
// the More text of the cells moves below their Text; then the columns with the highest
// Optional are dropped, and a line names them; then one column is wrapped. If it is still
// too wide, each row becomes a list of its cells.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	Ruled   bool // the heads are bold, with a rule below, as in reports
	Folds   int  // columns repeated when the others continue in a table below instead of being dropped; 0: none
}

// Column is the head of a column and its layout.
type Column struct {
	Head     string
	Right    bool    // flush right, for numbers
	Optional int     // the highest is dropped first; 0: never dropped
	Wrap     bool    // wrapped in a narrow terminal; default: the last column unless it is flush right
	Keep     bool    // Filled keeps it even if it is empty
	Holds    Content // content that other formats than text treat specially
}

// NewTable returns an empty table.
func NewTable(columns ...Column) *Table { return &Table{Columns: columns} }

// Add adds a row of plain cells, one for each column.
func (t *Table) Add(cells ...string) {
	row := make([]Cell, len(cells))
	for i, c := range cells {
		row[i].Text = Line(c)
	}
	t.AddCells(row...)
}

// AddCells adds a row, one cell for each column.
func (t *Table) AddCells(row ...Cell) { t.Rows = append(t.Rows, row) }

// Print writes a table that is the whole output of a command: aligned on a terminal,
// tab-separated values in a pipe. IO.Close returns errors of writing.
func (t *Table) Print(o *IO) {
	if o.Terminal() {
		t.Text(o, "")
		return
	}
	for _, row := range t.Records() {
		io.WriteString(o.Out, strings.Join(row, "\t")+"\n")
	}
}

// Text writes an aligned table as part of a text, each line indented by indent.
func (t *Table) Text(o *IO, indent string) {
	width := o.Width()
	if width > 0 {
		width = max(1, width-len(indent))
	}
	text, shown := t.Fit(width, o.color)
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(indent+line, " \n") + "\n")
	}
	var dropped Dropped
	if dropped.Add(t, shown); len(dropped) > 0 {
		out.WriteString(Wrap(dropped.Text(o.Width(), "a pipe"), o.Width(), indent, indent+"  ") + "\n")
	}
	io.WriteString(o.Out, out.String())
}

// Dropped lists the heads of the columns that did not fit.
type Dropped []string

// Add adds the columns of a table that are not among those shown.
func (d *Dropped) Add(t, shown *Table) {
	for _, c := range t.Columns {
		missing := !slices.ContainsFunc(shown.Columns, func(s Column) bool { return s == c })
		if c.Head != "" && missing && !slices.Contains(*d, c.Head) {
			*d = append(*d, c.Head)
		}
	}
}

// Text names the dropped columns and where to find them.
func (d Dropped) Text(width int, elsewhere string) string {
	return fmt.Sprintf("Left out at %d columns: %s. A wider terminal or %s has all of it.", width, strings.Join(d, ", "), elsewhere)
}

// Fit lays the table out in at most width columns (0: no limit). It also returns the table
// as shown, without the columns that did not fit.
func (t *Table) Fit(width int, color bool) (text string, shown *Table) {
	text, shown = t.columns(width, color)
	if !exceeds(text, width) {
		return text, shown
	}
	few := t.filter(func(_ int, c Column) bool { return c.Optional == 0 })
	if list := few.records(width, color); !exceeds(list, width) {
		return list, few
	}
	return text, shown
}

// exceeds reports whether a line is wider than width (0: no limit).
func exceeds(text string, width int) bool {
	return width > 0 && slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return Width(line) > width })
}

// columns lays the table out in columns, which may be wider than width.
func (t *Table) columns(width int, color bool) (text string, shown *Table) {
	foldable := t.Folds > 0 && len(t.Columns)-t.Folds > 1
	for level := t.highest(); ; level-- {
		shown = t.filter(func(_ int, c Column) bool { return c.Optional <= level })
		for _, stacked := range []bool{false, true} {
			last := level == 0 && stacked && !foldable
			if width <= 0 || last || shown.width(stacked) <= width && !(foldable && stacked) {
				return shown.draw(width, stacked, color), shown
			}
		}
		if level == 0 {
			return t.fold(width, color)
		}
	}
}

// fold lays out the first half of the columns above the second half.
func (t *Table) fold(width int, color bool) (text string, shown *Table) {
	half := t.Folds + (len(t.Columns)-t.Folds+1)/2
	first, above := t.filter(func(i int, _ Column) bool { return i < half }).columns(width, color)
	second, below := t.filter(func(i int, _ Column) bool { return i < t.Folds || i >= half }).columns(width, color)
	return first + "\n" + second, &Table{Columns: append(above.Columns, below.Columns...), Rows: append(above.Rows, below.Rows...)}
}

// Parts divides the columns among tables of at most width columns of text, each of which begins with
// the columns of words before the first numbers. IDs, which take no room, are in the first.
func (t *Table) Parts(width int) []*Table {
	lead, parts, used := max(1, slices.IndexFunc(t.Columns, func(c Column) bool { return c.Right })), 0, 0
	part, first := make([]int, len(t.Columns)), 0 // part of each column, width of the repeated ones
	for i, w := range t.widths(false) {
		if t.Columns[i].Holds == IDs {
			continue
		}
		if w += len(gap); i < lead {
			first += w
		} else if i > lead && used+w > width {
			parts, used = parts+1, first
		}
		part[i], used = parts, used+w
	}
	var out []*Table
	for k := range parts + 1 {
		out = append(out, t.filter(func(i int, _ Column) bool { return i < lead || part[i] == k }))
	}
	return out
}

func (t *Table) highest() int {
	n := 0
	for _, c := range t.Columns {
		n = max(n, c.Optional)
	}
	return n
}

// filter returns the table with some of its columns.
func (t *Table) filter(keep func(i int, c Column) bool) *Table {
	out := *t
	out.Columns, out.Rows = nil, make([][]Cell, len(t.Rows))
	for i, c := range t.Columns {
		if !keep(i, c) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for k, row := range t.Rows {
			out.Rows[k] = append(out.Rows[k], row[i])
		}
	}
	return &out
}

// Filled returns the table without columns whose cells are all empty or "–".
func (t *Table) Filled() *Table {
	return t.filter(func(i int, c Column) bool {
		return c.Keep || slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" && row[i].Text != "–" })
	})
}

// Marks returns the footnote numbers of the table in ascending order.
func (t *Table) Marks() (out []int) {
	for _, row := range t.Rows {
		for _, c := range row {
			out = append(out, c.Marks...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const (
	gap       = "  " // between columns
	wrapWidth = 32   // a wrapped column counts as at most this wide when others are dropped
	minLast   = 16   // if the last column would be narrower, rows become lists
	minFirst  = 8    // minimum width of any other wrapped column
)

// wraps returns the index of the column that is wrapped in a narrow terminal, or −1.
func (t *Table) wraps() int {
	for i, c := range t.Columns {
		if c.Wrap {
			return i
		}
	}
	if last := len(t.Columns) - 1; last >= 0 && !t.Columns[last].Right {
		return last
	}
	return -1
}

// widths returns the widths of the columns.
func (t *Table) widths(stacked bool) []int {
	out := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = Width(c.Head)
		for _, row := range t.Rows {
			for line := range strings.SplitSeq(row[i].lines(row[i].Text, stacked), "\n") {
				out[i] = max(out[i], Width(line))
			}
		}
	}
	return out
}

// width returns the width of the table if its wrapped column takes no more than wrapWidth.
func (t *Table) width(stacked bool) int {
	wraps, total := t.wraps(), t.margin()
	for i, w := range t.widths(stacked) {
		if i == wraps {
			w = min(w, wrapWidth)
		}
		total += w + len(gap)
	}
	return total - len(gap)
}

// margin returns the width of the left margin of a ruled table. Its rule extends as far on the right.
func (t *Table) margin() int {
	if t.Ruled {
		return len(gap)
	}
	return 0
}

// draw lays out all columns within the width.
func (t *Table) draw(width int, stacked, color bool) string {
	wraps, widths := t.wraps(), t.widths(stacked)
	room := width - t.margin()
	for i, w := range widths {
		if i != wraps {
			room -= w + len(gap)
		}
	}
	tight := width > 0 && wraps >= 0 && room < widths[wraps]
	last := len(t.Columns) - 1
	if tight && wraps == last && last > 0 && room < minLast {
		return t.records(width, color)
	}
	cell := func(i int, c Cell) string {
		text := c.Text
		if tight && i == wraps {
			text = wrapCell(text, room, i == last)
		}
		if c.Faint {
			text = Lines(color, Dim, text)
		}
		return c.lines(text, stacked || tight && i == wraps)
	}
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = c.Head
		if tight && i == wraps {
			heads[i] = wrapCell(c.Head, room, i == last)
		}
	}
	rows := make([][]string, len(t.Rows))
	for k, row := range t.Rows {
		for i, c := range row {
			rows[k] = append(rows[k], cell(i, c))
		}
	}
	return t.align(heads, rows, color)
}

// align writes the cells in columns.
func (t *Table) align(heads []string, rows [][]string, color bool) string {
	style, left, right := Dim, "", gap
	if t.Ruled {
		style, left, right = Bold, " ", " "
	}
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{heads}, rows...) {
		for i, cell := range row {
			for line := range strings.SplitSeq(cell, "\n") {
				widths[i] = max(widths[i], Width(line))
			}
		}
	}
	for i := range heads {
		heads[i] = Lines(color, style, heads[i])
	}
	var out strings.Builder
	add := func(row []string) {
		cells, height := make([][]string, len(row)), 0
		for i, cell := range row {
			cells[i] = strings.Split(cell, "\n")
			height = max(height, len(cells[i]))
		}
		for k := range height {
			var line strings.Builder
			for i, lines := range cells {
				text := ""
				if k < len(lines) {
					text = lines[k]
				}
				before, after := "", strings.Repeat(" ", widths[i]-Width(text))
				if t.Columns[i].Right {
					before, after = after, before
				}
				line.WriteString(left + before + text + after + right)
			}
			out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
	}
	add(heads)
	if t.Ruled && len(rows) > 0 {
		for _, w := range widths {
			out.WriteString(strings.Repeat("─", w+2))
		}
		out.WriteString("\n")
	}
	for _, row := range rows {
		add(row)
	}
	return out.String()
}
