package term

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Table is rows in columns.
type Table struct {
	columns []Column
	rows    [][]string
}

// Column heads a column.
type Column struct {
	Head  string
	Right bool // numbers
	// Optional columns are left out where the width is short, the highest number
	// first; a line below says which.
	Optional int
}

// NewTable starts a table.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Add adds a row of one cell a column.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Line(c)
	}
	t.rows = append(t.rows, row)
}

const gap = "  "

// minLast is the least width of a last column of words.
const minLast = 16

// Print writes a table that is all there is to a command's output: aligned on a
// terminal, tab-separated values in a pipe.
func (t *Table) Print(o *IO) error {
	if o.Terminal() {
		return t.Text(o, "")
	}
	var out strings.Builder
	t.values(&out)
	_, err := io.WriteString(o.Out, out.String())
	return err
}

// Text writes a table that stands in a text: aligned, each line behind indent.
// Where the width is short the optional columns go, then the last column is wrapped
// beneath itself, and where not even that has room beneath the others.
func (t *Table) Text(o *IO, indent string) error {
	var out strings.Builder
	t.align(&out, o, indent)
	_, err := io.WriteString(o.Out, out.String())
	return err
}

func (t *Table) values(out *strings.Builder) {
	line := func(cells []string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
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
	room := 0        // for the last column; 0 is no limit
	beneath := false // the others
	if o.Width() > 0 {
		room = o.Width() - len(indent)
		for _, i := range shown[:last] {
			room -= widths[i] + len(gap)
		}
		if beneath = last > 0 && room < min(minLast, widths[shown[last]]) && !t.columns[shown[last]].Right; !beneath {
			room = max(room, minLast)
		}
	}
	row := func(cells []string, style Style) {
		line, lead := indent, Width(indent)
		for k, i := range shown {
			text := cells[i]
			pad := strings.Repeat(" ", widths[i]-Width(text))
			switch {
			case k == last && beneath:
				if text != "" {
					under := indent + gap
					line = strings.TrimRight(line, " ") + "\n" + under + Wrap(o.Paint(style, text), o.Width()-len(under), "", under)
				}
			case k == last && !t.columns[i].Right:
				text = Wrap(o.Paint(style, text), room, "", "")
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
	var gone []string
	for i, h := range heads {
		if h != "" && !slices.Contains(shown, i) {
			gone = append(gone, h)
		}
	}
	if len(gone) > 0 {
		text := fmt.Sprintf("Left out at %d columns: %s. A wider terminal or a pipe has all of it.", o.Width(), strings.Join(gone, ", "))
		out.WriteString(Wrap(text, o.Width(), indent, indent+"  ") + "\n")
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
	if width <= 0 {
		width = math.MaxInt
	}
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
