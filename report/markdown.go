package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Markdown writes the report as pipe tables with every column.
func (r *Report) Markdown(w io.Writer) error {
	if msg := r.Empty(); msg != "" {
		_, err := fmt.Fprintln(w, msg)
		return err
	}
	var out strings.Builder
	for i, b := range r.Blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		var notes footnotes
		accuracy := b.accuracyTable(&notes)
		fmt.Fprintf(&out, "### %s\n", escapeMarkdown(b.Title))
		for _, t := range []*table{accuracy, b.detailTable()} {
			out.WriteString("\n")
			if err := markdownTable(&out, t); err != nil {
				return err
			}
		}
		fmt.Fprintf(&out, "\n%s\n", escapeMarkdown(b.keys(wilsonLevel)))
		for i, n := range notes.list {
			fmt.Fprintf(&out, "\n%s %s.\n", superscript([]int{i + 1}), escapeMarkdown(n.String()))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func markdownTable(w io.Writer, t *table) error {
	var heads []string
	var align []tw.Align
	for _, c := range t.columns {
		heads = append(heads, escapeMarkdown(c.head))
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
			cells = append(cells, escapeMarkdown(e.render(e.text, false, false)))
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
