package report

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// narrowest is the width at which tables stop getting narrower.
const narrowest = 40

// Text writes the report as plain tables of at most width columns (0: as wide as
// they get), in colour or not. Columns that do not fit are left out, the least
// important first, or stand in a further table below; all are in the other formats.
func (r *Report) Text(w io.Writer, width int, color bool) error {
	return r.view().text(w, width, color)
}

func (v view) text(w io.Writer, width int, color bool) error {
	if width > 0 {
		width = max(width, narrowest)
	}
	return v.write(w, "", "", func(text string) string { return wrap(text, width, "  ") }, func(out *strings.Builder) error {
		for i, s := range v.sections {
			if i > 0 {
				out.WriteString("\n\n")
			}
			if err := s.text(out, width, paint(color)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s section) text(out *strings.Builder, width int, p paint) error {
	level := 0
	for i, t := range s.tables {
		text, shown, err := folded(t, width, p)
		if err != nil {
			return err
		}
		if i == 0 {
			level = shown
			out.WriteString(p.lines(bold, wrap(t.caption+". "+s.title, width, "")))
		} else if t.captioned {
			out.WriteString("\n" + p.lines(bold, wrap(t.caption, width, "")))
		}
		out.WriteString("\n" + text)
	}
	out.WriteString("\n" + p.lines(dim, wrap(s.keys(level), width, "")))
	for i, n := range s.notes {
		mark := superscript([]int{i + 1}) + " "
		out.WriteString(wrap(mark+n.String()+".", width, strings.Repeat(" ", twwidth.Width(mark))))
	}
	return nil
}

// folded renders a table within a width as fit does, but of one that folds, where
// not all columns fit beside each other, the first half of them above the others.
func folded(t *table, width int, p paint) (text string, level int, err error) {
	first, n := t.folds, len(t.columns)
	if first == 0 || width <= 0 || n-first < 2 {
		return fit(t, width, p)
	}
	for level = t.levels(); level >= 0; level-- {
		if text, err = textTable(t.upTo(level), false, 0, p); err != nil || widest(text) <= width {
			return text, level, err
		}
	}
	half := first + (n-first+1)/2
	above, _, err := folded(t.without(half, n), width, p)
	if err != nil {
		return "", 0, err
	}
	below, _, err := folded(t.without(first, half), width, p)
	return above + "\n" + below, 0, err
}

// fit renders a table within a width: first whole, then without its higher
// levels, each time on one line a row or more, then with its first column wrapped.
// It returns the level that is left.
func fit(t *table, width int, p paint) (text string, level int, err error) {
	for level = t.levels(); ; level-- {
		for _, stacked := range []bool{false, true} {
			text, err = textTable(t.upTo(level), stacked, 0, p)
			if err != nil || width <= 0 || widest(text) <= width {
				return text, level, err
			}
			if stacked && level == 0 {
				excess := widest(text) - width
				text, err = textTable(t.upTo(0), true, max(8, firstColumn(t)-excess), p)
				return text, 0, err
			}
		}
	}
}

func firstColumn(t *table) int {
	n := 0
	for _, row := range t.rows {
		n = max(n, twwidth.Width(row[0].text))
	}
	return n
}

// textTable renders every column; label > 0 wraps the first one to that width.
func textTable(t *table, stacked bool, label int, p paint) (string, error) {
	var out strings.Builder
	var heads []string
	var align []tw.Align
	for _, c := range t.columns {
		heads = append(heads, p.paint(bold, c.head))
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
			text := e.text
			if i == 0 && label > 0 {
				text = broken(strings.TrimSuffix(wrap(text, label, "  "), "\n"), label, "    ")
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

func alignment(c column) tw.Align {
	if c.left {
		return tw.AlignLeft
	}
	return tw.AlignRight
}

// render joins the parts of an entry, its text given apart.
func (e entry) render(text string, stacked bool, p paint) string {
	if e.faint {
		text = p.paint(dim, text)
	}
	text += superscript(e.marks)
	switch {
	case e.more == "":
		return text
	case stacked:
		return text + "\n" + strings.NewReplacer(" @", "\n@", " ±", "\n±").Replace(e.more)
	}
	return text + " " + e.more
}

func widest(text string) int {
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

// wrap breaks a text at spaces into lines of at most width columns (0: one
// line), those after the first indented. A longer word stays whole.
func wrap(text string, width int, indent string) string {
	var out strings.Builder
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case width > 0 && twwidth.Width(line)+1+twwidth.Width(word) > width:
			out.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
	}
	return out.String() + line + "\n"
}
