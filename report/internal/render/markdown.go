package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Markdown writes pipe tables with every column.
func (v View) Markdown(w io.Writer) error {
	return v.write(w, "", "", func(text string) string { return escapeMarkdown(text) + "\n" }, func(out *strings.Builder) error {
		for i, s := range v.Sections {
			if i > 0 {
				out.WriteString("\n")
			}
			if err := s.markdown(out); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Section) markdown(out *strings.Builder) error {
	fmt.Fprintf(out, "### %s\n", escapeMarkdown(s.Title))
	for _, t := range s.Tables {
		out.WriteString("\n")
		if t.Captioned {
			out.WriteString(escapeMarkdown(t.Caption) + ".\n\n")
		}
		if err := markdownTable(out, t); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\n%s\n", escapeMarkdown(s.allKeys()))
	out.WriteString(notesMarkdown(s.Notes))
	return nil
}

func markdownTable(w io.Writer, t *Table) error {
	var heads []string
	var align []tw.Align
	for _, c := range t.Columns {
		heads = append(heads, escapeMarkdown(c.Head))
		align = append(align, alignment(c))
	}
	tbl := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	tbl.Header(heads)
	for _, row := range t.rows {
		var cells []string
		for _, e := range row {
			cells = append(cells, escapeMarkdown(e.render(e.Text, false, false)))
		}
		if err := tbl.Append(cells); err != nil {
			return err
		}
	}
	return tbl.Render()
}

// escapeMarkdown keeps names and messages from being read as markup. The
// brackets matter most: a message may hold anything, HTML too.
var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "[", `\[`, "\n", " ")

func escapeMarkdown(s string) string { return markdownEscaper.Replace(s) }
