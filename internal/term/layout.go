package term

import "strings"

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

// wrapCell breaks a text into lines. Further lines of any but the last column are indented.
func wrapCell(text string, room int, last bool) string {
	if last {
		return Wrap(text, max(room, minLast), "", "")
	}
	return Wrap(text, max(room, minFirst), "", gap)
}

// records writes each row as lines "head: cell", for a terminal that is too narrow for columns.
func (t *Table) records(width int, color bool) string {
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
