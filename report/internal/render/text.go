package render

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"imdbexp/internal/term"
)

// Narrowest is the width at which tables stop getting narrower.
const Narrowest = 40

// Text writes the view at most width columns wide (0: as wide as it gets), in colour or not.
func (v View) Text(w io.Writer, width int, color bool) error {
	if width > 0 {
		width = max(width, Narrowest)
	}
	return v.write(w, "", "", func(text string) string { return term.Wrap(text, width, "", "  ") + "\n" }, func(out *strings.Builder) error {
		for i, s := range v.Sections {
			if i > 0 {
				out.WriteString("\n\n")
			}
			if err := s.text(out, width, Paint(color)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Section) text(out *strings.Builder, width int, p Paint) error {
	var left leftOut
	for i, t := range s.Tables {
		text, level, err := folded(t, width, p)
		if err != nil {
			return err
		}
		left.add(t, level)
		if i == 0 {
			out.WriteString(p.Lines(Bold, term.Wrap(t.Caption+". "+s.Title, width, "", "")+"\n"))
		} else if t.Captioned {
			out.WriteString("\n" + p.Lines(Bold, term.Wrap(t.Caption, width, "", "")+"\n"))
		}
		out.WriteString("\n" + text)
	}
	out.WriteString("\n" + p.Lines(Dim, term.Wrap(s.keys(left.shown), width, "", "")+"\n"))
	out.WriteString(notesText(s.Notes, left.marks, width) + left.text(width))
	return nil
}

// folded renders a table within a width as fit does, but of one that folds, where
// not all columns fit beside each other, the first half of them above the others.
func folded(t *Table, width int, p Paint) (text string, level int, err error) {
	first, n := t.Folds, len(t.Columns)
	if first == 0 || width <= 0 || n-first < 2 {
		return Fit(t, width, p)
	}
	for level = t.levels(); level >= 0; level-- {
		if text, err = textTable(t.upTo(level), false, 0, p); err != nil || Widest(text) <= width {
			return text, level, err
		}
	}
	half := first + (n-first+1)/2
	above, up, err := folded(t.without(half, n), width, p)
	if err != nil {
		return "", 0, err
	}
	below, down, err := folded(t.without(first, half), width, p)
	return above + "\n" + below, min(up, down), err
}

// Fit renders a table within a width: first whole, then without its higher
// levels, each time on one line a row or more, then with its first column wrapped.
// It returns the level that is left.
func Fit(t *Table, width int, p Paint) (text string, level int, err error) {
	for level = t.levels(); ; level-- {
		for _, stacked := range []bool{false, true} {
			text, err = textTable(t.upTo(level), stacked, 0, p)
			if err != nil || width <= 0 || Widest(text) <= width {
				return text, level, err
			}
			if stacked && level == 0 {
				excess := Widest(text) - width
				text, err = textTable(t.upTo(0), true, max(8, firstColumn(t)-excess), p)
				return text, 0, err
			}
		}
	}
}

func firstColumn(t *Table) int {
	n := 0
	for _, row := range t.rows {
		n = max(n, twwidth.Width(row[0].Text))
	}
	return n
}

// textTable renders every column; label > 0 wraps the first one to that width.
func textTable(t *Table, stacked bool, label int, p Paint) (string, error) {
	var out strings.Builder
	var heads []string
	var align []tw.Align
	for _, c := range t.Columns {
		heads = append(heads, p.Set(Bold, c.Head))
		align = append(align, alignment(c))
	}
	tbl := tablewriter.NewTable(&out,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: tw.On, ShowTop: tw.Off, ShowBottom: tw.Off},
			},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	tbl.Header(heads)
	for _, row := range t.rows {
		var cells []string
		for i, e := range row {
			text := e.Text
			if i == 0 && label > 0 {
				text = broken(term.Wrap(text, label, "", "  "), label, "    ")
			}
			cells = append(cells, e.render(text, stacked, p))
		}
		if err := tbl.Append(cells); err != nil {
			return "", err
		}
	}
	if err := tbl.Render(); err != nil {
		return "", err
	}
	return trimLines(out.String()), nil
}

// broken breaks lines wider than width after the = or . of a setting, where they
// have one; what follows is indented.
func broken(text string, width int, indent string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for twwidth.Width(line) > width {
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

func alignment(c Column) tw.Align {
	if c.Left {
		return tw.AlignLeft
	}
	return tw.AlignRight
}

// render joins the parts of an entry, its text given apart.
func (e Entry) render(text string, stacked bool, p Paint) string {
	if e.Faint {
		text = p.Set(Dim, text)
	}
	text += superscript(e.Marks)
	switch {
	case e.More == "":
		return text
	case stacked:
		return text + "\n" + strings.NewReplacer(" @", "\n@", " ±", "\n±").Replace(e.More)
	}
	return text + " " + e.More
}

// Widest returns how many columns the widest line takes.
func Widest(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n = max(n, twwidth.Width(strings.TrimRight(line, "\n")))
	}
	return n
}

func trimLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
