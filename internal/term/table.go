package term

import (
	"io"
	"strings"
)

// Table prints rows in columns: aligned and cut to the width on a terminal,
// whole and tab-separated in a pipe.
type Table struct {
	columns []Column
	rows    [][]string
}

// Column heads a column.
type Column struct {
	Head  string
	Right bool // numbers
	// Optional columns are left out where the width is short, the highest number
	// first.
	Optional int
}

// NewTable starts a table.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Add adds a row of one cell a column.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

const gap = "  "

// minLast is the least width of a last column of words.
const minLast = 16

// Print writes the table. On a terminal the last column is wrapped where it does
// not fit, beneath itself.
func (t *Table) Print(o *IO, indent string) error {
	var out strings.Builder
	if !o.Terminal() {
		t.values(&out)
	} else {
		t.align(&out, o, indent)
	}
	_, err := io.WriteString(o.Out, out.String())
	return err
}

func (t *Table) values(out *strings.Builder) {
	flat := strings.NewReplacer("\t", " ", "\n", " ")
	line := func(cells []string) {
		for i, c := range cells {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(flat.Replace(c))
		}
		out.WriteByte('\n')
	}
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.Head
	}
	line(heads)
	for _, r := range t.rows {
		line(r)
	}
}

func (t *Table) align(out *strings.Builder, o *IO, indent string) {
	widths := t.widths()
	shown := t.fit(widths, o.Width()-len(indent))
	last := len(shown) - 1
	room := o.Width() - len(indent)
	for _, i := range shown[:last] {
		room -= widths[i] + len(gap)
	}
	row := func(cells []string, style Style) {
		line, lead := indent, Width(indent)
		for k, i := range shown {
			text := cells[i]
			pad := strings.Repeat(" ", widths[i]-Width(text))
			switch {
			case k == last && !t.columns[i].Right:
				text = Wrap(o.Paint(style, text), max(room, minLast), "", "")
				line += strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", lead))
			case t.columns[i].Right:
				line += pad + o.Paint(style, text)
			default:
				line += o.Paint(style, text) + pad
			}
			if k < last {
				line += gap
				lead += widths[i] + len(gap)
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.Head
	}
	row(heads, Dim)
	for _, r := range t.rows {
		row(r, "")
	}
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = Width(c.Head)
		for _, r := range t.rows {
			widths[i] = max(widths[i], Width(r[i]))
		}
	}
	return widths
}

// fit returns which columns there is room for; the last one may be wrapped.
func (t *Table) fit(widths []int, width int) []int {
	for drop := t.most(); ; drop-- {
		var shown []int
		for i, c := range t.columns {
			if c.Optional <= drop {
				shown = append(shown, i)
			}
		}
		total := 0
		for k, i := range shown {
			w := widths[i]
			if k == len(shown)-1 && !t.columns[i].Right {
				w = min(w, 2*minLast)
			}
			total += w + len(gap)
		}
		if drop == 0 || total-len(gap) <= width {
			return shown
		}
	}
}

func (t *Table) most() int {
	n := 0
	for _, c := range t.columns {
		n = max(n, c.Optional)
	}
	return n
}
