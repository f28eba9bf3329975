package term

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Table is a table of text. A table wider than the terminal is narrowed in steps:
// the More text of the cells moves below their Text; the columns with the highest
// Optional are dropped, and a line names them; the columns are divided among several tables (Divides),
// or one column is wrapped. If it is still too wide, each row becomes a list of its cells.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	Ruled   bool // the heads are bold, with a rule below, as in reports
	Divides bool // see Parts
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

// Content is the kind of entries that some formats treat specially.
type Content int

const (
	IDs       Content = iota + 1 // the short IDs of the runs behind a row
	Citations                    // how to cite them
)

// Cell is one entry of a table.
type Cell struct {
	Text  string
	More  string // follows Text, or is below it in a narrow terminal
	Marks []int  // numbers of footnotes
	Faint bool
}

// String joins the parts of a cell on one line.
func (c Cell) String() string { return strings.TrimSuffix(c.Text+Superscript(c.Marks)+" "+c.More, " ") }

// Superscript writes the numbers of footnotes: 1, 12 → "¹,¹²".
func Superscript(numbers []int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var out strings.Builder
	for i, n := range numbers {
		if i > 0 {
			out.WriteByte(',')
		}
		for _, d := range strconv.Itoa(n) {
			out.WriteRune(digits[d-'0'])
		}
	}
	return out.String()
}

// Left returns a column of words.
func Left(head string) Column { return Column{Head: head} }

// Right returns a column of numbers.
func Right(head string) Column { return Column{Head: head, Right: true} }

// Drop returns the column as an optional one.
func (c Column) Drop(optional int) Column {
	c.Optional = optional
	return c
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
		if c.Head != "" && !slices.Contains(shown.Columns, c) && !slices.Contains(*d, c.Head) {
			*d = append(*d, c.Head)
		}
	}
}

// Text names the dropped columns and where to find them.
func (d Dropped) Text(width int, elsewhere string) string {
	return fmt.Sprintf("Left out at %d columns: %s. A wider terminal or %s has all of it.", width, strings.Join(d, ", "), elsewhere)
}

const (
	gap       = "  " // between columns
	wrapWidth = 32   // a wrapped column counts as at most this wide when others are dropped
	minLast   = 16   // if the last column would be narrower, rows become lists
	minFirst  = 8    // minimum width of any other wrapped column
)

// Fit lays the table out in at most width columns (0: no limit). It also returns the table
// as shown, without the columns that did not fit.
func (t *Table) Fit(width int, color bool) (text string, shown *Table) {
	level := 0
	for _, c := range t.Columns {
		level = max(level, c.Optional)
	}
	for ; level >= 0; level-- {
		shown = t.filter(func(_ int, c Column) bool { return c.Optional <= level })
		for _, stacked := range []bool{false, true} {
			need := shown.margin() - len(gap)
			for i, w := range widths(shown.cells(stacked, -1, 0, false)) {
				if i == shown.wrapped() {
					w = min(w, wrapWidth)
				}
				need += w + len(gap)
			}
			if width <= 0 || need <= width {
				return shown.draw(width, stacked, color), shown
			}
		}
	}
	if t.Divides {
		var parts []string
		for _, part := range shown.Parts(width, 0) {
			parts = append(parts, part.draw(width, false, color))
		}
		text = strings.Join(parts, "\n")
	} else {
		text = shown.draw(width, true, color)
	}
	if exceeds(text, width) {
		if list := shown.list(width, color); !exceeds(list, width) {
			return list, shown
		}
	}
	return text, shown
}

// exceeds reports whether a line is wider than width (0: no limit).
func exceeds(text string, width int) bool {
	return width > 0 && slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return Width(line) > width })
}

// Parts divides the columns among tables of at most width columns of text, each of which begins with
// the columns of words before the first numbers. Columns that hold free take no room and are in the first.
func (t *Table) Parts(width int, free Content) []*Table {
	lead, parts, used := max(1, slices.IndexFunc(t.Columns, func(c Column) bool { return c.Right })), 0, 0
	part, first := make([]int, len(t.Columns)), 0 // part of each column, width of the repeated ones
	for i, w := range widths(t.cells(false, -1, 0, false)) {
		if free != 0 && t.Columns[i].Holds == free {
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

// wrapped returns the index of the column that is wrapped in a narrow terminal, or −1.
func (t *Table) wrapped() int {
	last := len(t.Columns) - 1
	if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Wrap }); i >= 0 || last < 0 || t.Columns[last].Right {
		return i
	}
	return last
}

// margin returns the width of the left margin of a ruled table. Its rule extends as far on the right.
func (t *Table) margin() int {
	if t.Ruled {
		return len(gap)
	}
	return 0
}

// cells returns the lines of the heads and of each row: More is below the text if stacked, and column wrap is wrapped
// in room columns.
func (t *Table) cells(stacked bool, wrap, room int, color bool) [][]string {
	lay := func(i int, c Cell, style Style) string {
		text := c.Text
		switch {
		case i == wrap && i == len(t.Columns)-1:
			text = Wrap(text, max(room, minLast), "", "")
		case i == wrap: // further lines of any but the last column are indented
			text = Wrap(text, max(room, minFirst), "", gap)
		}
		text = Lines(color, style, text) + Superscript(c.Marks)
		switch {
		case c.More == "":
			return text
		case stacked || i == wrap:
			return text + "\n" + strings.NewReplacer(" @", "\n@", " ±", "\n±").Replace(c.More)
		}
		return text + " " + c.More
	}
	head := Dim
	if t.Ruled {
		head = Bold
	}
	out := make([][]string, 1+len(t.Rows))
	for i, c := range t.Columns {
		out[0] = append(out[0], lay(i, Cell{Text: c.Head}, head))
	}
	for k, row := range t.Rows {
		for i, c := range row {
			out[k+1] = append(out[k+1], lay(i, c, map[bool]Style{true: Dim}[c.Faint]))
		}
	}
	return out
}

// widths returns the widths of the columns of cells.
func widths(cells [][]string) []int {
	out := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, cell := range row {
			for line := range strings.SplitSeq(cell, "\n") {
				out[i] = max(out[i], Width(line))
			}
		}
	}
	return out
}

// draw lays out all columns, with one of them wrapped if they are wider than width.
func (t *Table) draw(width int, stacked, color bool) string {
	wrap, need, room := t.wrapped(), widths(t.cells(stacked, -1, 0, false)), width-t.margin()
	for i, w := range need {
		if i != wrap {
			room -= w + len(gap)
		}
	}
	last := len(t.Columns) - 1
	switch {
	case wrap < 0 || width <= 0 || room >= need[wrap]:
		wrap = -1
	case wrap == last && last > 0 && room < minLast:
		return t.list(width, color)
	}
	cells := t.cells(stacked, wrap, room, color)
	need = widths(cells)
	left, right := "", gap
	if t.Ruled {
		left, right = " ", " "
	}
	var out strings.Builder
	for k, row := range cells {
		height := 0
		for _, cell := range row {
			height = max(height, 1+strings.Count(cell, "\n"))
		}
		for n := range height {
			var line strings.Builder
			for i, cell := range row {
				text := ""
				if lines := strings.Split(cell, "\n"); n < len(lines) {
					text = lines[n]
				}
				before, after := "", strings.Repeat(" ", need[i]-Width(text))
				if t.Columns[i].Right {
					before, after = after, before
				}
				line.WriteString(left + before + text + after + right)
			}
			out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
		if k == 0 && t.Ruled && len(t.Rows) > 0 {
			for _, w := range need {
				out.WriteString(strings.Repeat("─", w+2))
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// list writes each row as lines "head: cell", for a terminal that is too narrow for columns.
func (t *Table) list(width int, color bool) string {
	var out strings.Builder
	for _, row := range t.Rows {
		indent := ""
		for i, c := range row {
			text := c.String()
			if text == "" {
				continue
			}
			if head := t.Columns[i].Head; indent != "" && head != "" {
				text = head + ": " + text
			}
			text = Wrap(text, width, indent, indent+gap)
			if c.Faint {
				text = Lines(color, Dim, text)
			}
			out.WriteString(text + "\n")
			indent = gap
		}
	}
	return out.String()
}
