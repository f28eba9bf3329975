package attend

import (
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/term"
)

// Widths of an alignment on a terminal.
const (
	maxTarget   = 16 // columns of the target's words
	widestText  = 100
	shownWeight = 0.05 // below it a cell stays empty
)

// alignmentText draws an alignment: a row for each word of the translation, a column for
// each word of the source. Columns are named by words if they fit, else by numbers; if even
// those do not fit, the matrix is split into parts. Weights are shades, or tenths without
// colour.
func alignmentText(o *term.IO, a translator.Alignment) string {
	width := o.Width()
	if width == 0 {
		width = widestText
	}
	left := 0
	for _, w := range a.Rows {
		left = max(left, min(term.Width(term.Visible(w)), maxTarget))
	}
	room := max(1, width-left-4)
	cells, numbered := alignmentCells(a.Columns, room)
	heads := alignmentHeads(a.Columns, cells, numbered)
	var out strings.Builder
	if numbered {
		var names []string
		for j, w := range a.Columns {
			names = append(names, strconv.Itoa(j+1)+" "+term.Visible(w)+" ")
		}
		out.WriteString(strings.ReplaceAll(term.WrapWords(names, width, "  ", "  ")+"\n", " \n", "\n") + "\n")
	}
	part := len(cells) // columns side by side
	if numbered {
		part = room / cells[0]
	}
	for lo := 0; lo < len(cells); lo += part {
		hi := min(lo+part, len(cells))
		for d := range heads[0] {
			line := "  " + strings.Repeat(" ", left) + " "
			for j := lo; j < hi; j++ {
				line += modelview.RightAligned(heads[j][d], cells[j])
			}
			out.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		for i, row := range a.Weights {
			out.WriteString("  " + modelview.RightAligned(term.Cut(term.Visible(a.Rows[i]), maxTarget), left) + " ")
			for j := lo; j < min(hi, len(row)); j++ {
				out.WriteString(alignmentCell(o, row[j], cells[j]))
			}
			out.WriteString("\n")
		}
		out.WriteString("\n")
	}
	return out.String() + alignmentKey(o)
}

// alignmentCells returns the width of each column: the width of its word if all fit, else
// narrow for numbers.
func alignmentCells(source []string, room int) (cells []int, numbered bool) {
	sum := 0
	for _, w := range source {
		n := term.Width(term.Visible(w)) + 1
		cells, sum = append(cells, n), sum+n
	}
	if sum <= room {
		return cells, false
	}
	each := min(3, max(1, room/len(source)))
	for j := range cells {
		cells[j] = each
	}
	return cells, true
}

// alignmentHeads returns the lines of each column's name: its word, or the digits of its
// number below each other.
func alignmentHeads(source []string, cells []int, numbered bool) [][]string {
	heads := make([][]string, len(cells))
	digits := len(strconv.Itoa(len(source)))
	for j := range cells {
		if !numbered {
			heads[j] = []string{term.Visible(source[j])}
			continue
		}
		heads[j] = strings.Split(modelview.RightAligned(strconv.Itoa(j+1), digits), "")
	}
	return heads
}

// alignmentCell draws a weight with the given width.
func alignmentCell(o *term.IO, weight float64, width int) string {
	if weight < shownWeight {
		return modelview.RightAligned(o.Paint(term.Dim, "·"), width)
	}
	if o.Depth() == term.Mono {
		return modelview.RightAligned(strconv.Itoa(min(9, int(10*weight))), width)
	}
	gap := ""
	if width > 1 {
		gap = " "
	}
	return gap + o.Shade(weight, strings.Repeat(" ", width-len(gap)))
}

func alignmentKey(o *term.IO) string {
	if o.Depth() == term.Mono {
		return o.Wrap("weights in tenths, · below 0.05", "  ", "    ") + "\n"
	}
	key := []string{"weight:"}
	for _, w := range []float64{0.1, 0.25, 0.5, 0.75, 1} {
		key = append(key, o.Shade(w, " "+strconv.FormatFloat(w, 'g', -1, 64)+" "))
	}
	return term.WrapWords(key, o.Width(), "  ", "    ") + "\n"
}
