package render

import (
	"fmt"
	"io"
	"strings"

	"imdbexp/internal/term"
	"imdbexp/report"
)

// Sheet is one table with what it says in words, beneath a title: a comparison, a
// ladder, the claims.
type Sheet struct {
	Title string
	Table *Table // nil: words alone
	Words []string
	Keys  string        // what the signs mean
	Notes []report.Note // the marks in the table count them from 1
}

// Text writes the sheet, at most width columns wide (0: as wide as it gets).
func (s Sheet) Text(w io.Writer, width int, color bool) error {
	if width > 0 {
		width = max(width, Narrowest)
	}
	p := Paint(color)
	var out strings.Builder
	var left leftOut
	out.WriteString(p.Lines(Bold, term.Wrap(s.Title, width, "", "")+"\n"))
	if s.Table != nil {
		text, level, err := Fit(s.Table, width, p)
		if err != nil {
			return err
		}
		out.WriteString("\n" + text)
		left.add(s.Table, level)
	}
	if len(s.Words) > 0 {
		out.WriteString("\n")
	}
	for _, line := range s.Words {
		out.WriteString(term.Wrap(line, width, "", "  ") + "\n")
	}
	if s.Keys != "" {
		out.WriteString("\n" + p.Lines(Dim, term.Wrap(s.Keys, width, "", "")+"\n"))
	}
	out.WriteString(notesText(s.Notes, left.marks, width) + left.text(width))
	_, err := io.WriteString(w, out.String())
	return err
}

// Markdown writes the sheet under a heading.
func (s Sheet) Markdown(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "### %s\n\n", escapeMarkdown(s.Title))
	if s.Table != nil {
		if err := markdownTable(&out, s.Table); err != nil {
			return err
		}
		out.WriteString("\n")
	}
	for _, line := range s.Words {
		fmt.Fprintf(&out, "- %s\n", escapeMarkdown(line))
	}
	if s.Keys != "" {
		fmt.Fprintf(&out, "\n%s\n", escapeMarkdown(s.Keys))
	}
	out.WriteString(notesMarkdown(s.Notes))
	_, err := io.WriteString(w, out.String())
	return err
}
