package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// Part is one table of a view with its key and its footnotes, for a text of the user's. Quarto and
// the page refer to it as @tbl-NAME.
type Part struct {
	Name    string // of its file, without extension
	section Section
}

// Parts returns the tables of a view. Their names are made of their captions.
func (v View) Parts() (parts []Part) {
	used := map[string]int{}
	for _, s := range v.Sections {
		for _, t := range s.Tables {
			title := strings.TrimPrefix(t.Caption+". "+s.Title, ". ")
			words, _, _ := strings.Cut(title, ". ")
			name := strings.Trim(format.FileName(strings.ToLower(words)), "-")
			if used[name]++; used[name] > 1 { // of other reviews
				name = fmt.Sprintf("%s-%d", name, used[name])
			}
			parts = append(parts, Part{name, s.only(t)})
			parts[len(parts)-1].section.Title = title
		}
	}
	return parts
}

// only returns a section with one of its tables, whose footnotes count from 1.
func (s Section) only(t *term.Table) Section {
	marks, all, shown := t.Marks(), s.Notes, *t
	s.Notes, shown.Rows = nil, nil
	for _, m := range marks {
		s.Notes = append(s.Notes, all[m-1])
	}
	for _, row := range t.Rows {
		row = slices.Clone(row)
		for i, c := range row {
			row[i].Marks = nil
			for _, m := range c.Marks {
				row[i].Marks = append(row[i].Marks, slices.Index(marks, m)+1)
			}
		}
		shown.Rows = append(shown.Rows, row)
	}
	s.Tables = []*term.Table{&shown}
	return s
}

// Markdown writes the table as Quarto and pandoc include it: with its caption and label below.
func (p Part) Markdown(w io.Writer) error {
	var out strings.Builder
	if err := markdownTable(&out, p.section.Tables[0]); err != nil {
		return err
	}
	fmt.Fprintf(&out, "\n: %s {#tbl-%s}\n", escapeMarkdown(p.section.Title), p.Name)
	p.section.below(&out)
	_, err := io.WriteString(w, out.String())
	return err
}

// HTML returns the table as the page's table number n.
func (p Part) HTML(n int, linked func(string) bool) string {
	s, t := p.section, *p.section.Tables[0]
	t.Caption = fmt.Sprintf("Table\u00a0%d: %s", n, format.Unbroken(s.Title))
	s.Tables = []*term.Table{&t}
	return fmt.Sprintf("<div id=\"tbl-%s\">\n%s</div>\n", p.Name, s.html("tbl-"+p.Name, linked))
}
