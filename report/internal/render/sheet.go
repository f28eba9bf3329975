package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// sheet is one table with what it says in words, beneath a title: a comparison, a
// ladder, the claims.
type sheet struct {
	title string
	table *table // nil: words alone
	words []string
	keys  string // what the signs mean
	notes []Note // the marks in the table count them from 1
}

// Printable is what commands show as text, Markdown and CSV.
type Printable interface {
	Text(w io.Writer, width int, color bool) error
	Markdown(w io.Writer) error
	CSV(w io.Writer) error
}

// text writes the sheet, at most width columns wide (0: as wide as it gets).
func (s sheet) text(w io.Writer, width int, color bool) error {
	if width > 0 {
		width = max(width, narrowest)
	}
	p := paint(color)
	var out strings.Builder
	out.WriteString(p.lines(bold, wrap(s.title, width, "")))
	if s.table != nil {
		text, _, err := fit(s.table, width, p)
		if err != nil {
			return err
		}
		out.WriteString("\n" + text)
	}
	if len(s.words) > 0 {
		out.WriteString("\n")
	}
	for _, line := range s.words {
		out.WriteString(wrap(line, width, "  "))
	}
	if s.keys != "" {
		out.WriteString("\n" + p.lines(dim, wrap(s.keys, width, "")))
	}
	for i, n := range s.notes {
		mark := superscript([]int{i + 1}) + " "
		out.WriteString(wrap(mark+n.String()+".", width, strings.Repeat(" ", twwidth.Width(mark))))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (s sheet) markdown(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "### %s\n\n", escapeMarkdown(s.title))
	if s.table != nil {
		if err := markdownTable(&out, s.table); err != nil {
			return err
		}
		out.WriteString("\n")
	}
	for _, line := range s.words {
		fmt.Fprintf(&out, "- %s\n", escapeMarkdown(line))
	}
	if s.keys != "" {
		fmt.Fprintf(&out, "\n%s\n", escapeMarkdown(s.keys))
	}
	for i, n := range s.notes {
		fmt.Fprintf(&out, "\n%s %s.\n", superscript([]int{i + 1}), escapeMarkdown(n.String()))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
