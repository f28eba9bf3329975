package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"imdbexp/internal/term"
	"imdbexp/report"
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
		if t.Caption != "" {
			out.WriteString(escapeMarkdown(t.Caption) + ".\n\n")
		}
		if err := markdownTable(out, t); err != nil {
			return err
		}
	}
	s.below(out)
	return nil
}

// below writes what follows the tables of a section: its conclusion, the key and the footnotes.
func (s Section) below(out *strings.Builder) {
	for i, line := range s.Words {
		if i == 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(out, "- %s\n", escapeMarkdown(line))
	}
	if keys := s.allKeys(); keys != "" {
		fmt.Fprintf(out, "\n%s\n", escapeMarkdown(keys))
	}
	for i, n := range s.Notes {
		fmt.Fprintf(out, "\n%s %s.\n", term.Superscript([]int{i + 1}), escapeMarkdown(n.String()))
	}
}

func markdownTable(w io.Writer, t *term.Table) error {
	var heads []string
	var align []tw.Align
	for _, c := range t.Columns {
		a := tw.AlignLeft
		if c.Right {
			a = tw.AlignRight
		}
		heads, align = append(heads, escapeMarkdown(c.Head)), append(align, a)
	}
	tbl := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	tbl.Header(heads)
	for _, row := range t.Rows {
		if err := tbl.Append(report.Each(row, func(c term.Cell) string { return escapeMarkdown(c.String()) })); err != nil {
			return err
		}
	}
	return tbl.Render()
}

// Names and messages may hold anything, even HTML: nothing of them is read as markup.
var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "[", `\[`, "\n", " ")

func escapeMarkdown(s string) string { return markdownEscaper.Replace(s) }
