package term

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

const (
	gap       = "  " // between columns
	wrapWidth = 32   // a wrapped column counts as at most this wide when others are dropped
	minLast   = 16   // a narrower last column is set below the others
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
		return t.drawBelow(width, color)
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

// wrapCell breaks a text into lines. Further lines of any but the last column are indented, and
// settings that are too long are broken after = or a dot.
func wrapCell(text string, room int, last bool) string {
	if last {
		return Wrap(text, max(room, minLast), "", "")
	}
	return breakSettings(Wrap(text, max(room, minFirst), "", gap), max(room, minFirst), gap+gap)
}

func breakSettings(text string, width int, indent string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for Width(line) > width {
			end := strings.LastIndexAny(line[:min(width, len(line))], "=.") + 1
			if end <= len(indent) {
				break
			}
			out = append(out, line[:end])
			line = indent + line[end:]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// drawBelow sets the last column below the others.
func (t *Table) drawBelow(width int, color bool) string {
	last := len(t.Columns) - 1
	below := func(text string, style Style) string {
		if text == "" {
			return ""
		}
		return Lines(color, style, Wrap(text, width, gap, gap)) + "\n"
	}
	text := t.filter(func(i int, _ Column) bool { return i < last }).draw(0, false, color)
	var out strings.Builder
	k := -1
	for line := range strings.Lines(text) {
		out.WriteString(line)
		if k < 0 {
			out.WriteString(below(t.Columns[last].Head, Dim))
		} else {
			out.WriteString(below(t.Rows[k][last].Text, ""))
		}
		k++
	}
	return out.String()
}

// align writes the cells in columns.
func (t *Table) align(heads []string, rows [][]string, color bool) string {
	style, padding, rule := Dim, tw.Padding{Left: tw.Empty, Right: gap, Overwrite: true}, tw.Off
	if t.Ruled {
		style, padding, rule = Bold, tw.Padding{Left: tw.Space, Right: tw.Space}, tw.On
	}
	align := make([]tw.Align, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = Lines(color, style, heads[i])
		if align[i] = tw.AlignLeft; c.Right {
			align[i] = tw.AlignRight
		}
	}
	var out strings.Builder
	w := tablewriter.NewTable(&out,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: rule, ShowTop: tw.Off, ShowBottom: tw.Off},
			},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithTrimSpace(tw.Off), tablewriter.WithTrimLine(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithPadding(padding),
	)
	w.Header(heads)
	err := w.Bulk(rows)
	if err == nil {
		err = w.Render()
	}
	if err != nil {
		panic(err) // strings.Builder does not fail
	}
	text := strings.ReplaceAll(out.String(), "\x1b[0m", "") // tablewriter ends our styles a second time
	var trimmed strings.Builder
	for line := range strings.Lines(text) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return trimmed.String()
}
