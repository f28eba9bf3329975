package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

//go:embed html.tmpl
var htmlTemplate string

var htmlTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("html").Parse(htmlTemplate))
})

// HTML writes the sections as part of a page.
func (v View) HTML(w io.Writer) error {
	v.Message = template.HTMLEscapeString(v.Message)
	return v.write(w, "<p>", "</p>", func(text string) string { return `<p class="keys">` + template.HTMLEscapeString(text) + "</p>\n" }, func(out *strings.Builder) error {
		list, err := v.HTMLSections(nil)
		for _, s := range list {
			out.WriteString(term.Page(string(s.HTML)))
		}
		return err
	})
}

// HTMLSection is a section of a page.
type HTMLSection struct {
	ID, Title string
	HTML      template.HTML
}

// The data of the templates.
type (
	htmlSection struct {
		ID, Title, Keys string
		Tables          []htmlTable
		Words           []string
		Notes           []htmlNote
	}
	htmlTable struct {
		Caption string
		Heads   []htmlCell
		Rows    []htmlRow
	}
	htmlRow struct {
		First bool // the first line with a label
		Cells []htmlCell
	}
	htmlCell struct {
		Text, More string
		Class      string     // "n" for numbers, "faint", "traces"
		Links      []string   // IDs of runs on the page, shown instead of the text
		Marks      []htmlNote // without their text
		Head       bool
		Span       int // number of lines with this head, if more than one
	}
	htmlNote struct{ ID, Text string }
)

// HTMLSections writes the sections. linked reports whether the page has a place for a run of this
// short ID.
func (v View) HTMLSections(linked func(string) bool) ([]HTMLSection, error) {
	var out []HTMLSection
	for i, s := range v.Sections {
		h := htmlSection{ID: fmt.Sprintf("table-%d", i+1), Title: format.Unbroken(s.Title), Keys: s.allKeys()}
		for _, line := range s.Words {
			h.Words = append(h.Words, format.Unbroken(line))
		}
		note := func(n int) string { return fmt.Sprintf("note-%d-%d", i+1, n) }
		for _, t := range s.Tables {
			h.Tables = append(h.Tables, htmlOf(t, note, linked))
		}
		for j, n := range s.Notes {
			h.Notes = append(h.Notes, htmlNote{note(j + 1), format.Unbroken(n.String() + ".")})
		}
		var text strings.Builder
		if err := htmlTemplates().ExecuteTemplate(&text, "section", h); err != nil {
			return nil, err
		}
		out = append(out, HTMLSection{h.ID, h.Title, template.HTML(text.String())})
	}
	return out, nil
}

func htmlOf(t *term.Table, note func(int) string, linked func(string) bool) htmlTable {
	out := htmlTable{Caption: t.Caption}
	marks := make([]int, len(t.Columns)) // the largest number of footnotes in a cell of each column
	for _, row := range t.Rows {
		for j, c := range row {
			marks[j] = max(marks[j], len(c.Marks))
		}
	}
	for j, c := range t.Columns {
		out.Heads = append(out.Heads, htmlCell{Text: c.Head, Class: class(c, false, marks[j])})
	}
	head := 0 // the row with the label of this one
	for i, row := range t.Rows {
		var line htmlRow
		for j, c := range row {
			h := htmlCell{Text: c.Text, More: c.More, Class: class(t.Columns[j], c.Faint, marks[j]), Head: j == 0}
			for _, m := range c.Marks {
				h.Marks = append(h.Marks, htmlNote{note(m), fmt.Sprint(m)})
			}
			if t.Columns[j].Holds == term.IDs && linked != nil && c.Text != "" {
				h.Links = linkedRuns(c.Text, linked)
			}
			switch {
			case j > 0:
			case i > 0 && c.Text == "":
				out.Rows[head].Cells[0].Span = i - head + 1
				continue
			default:
				head, line.First = i, true
			}
			line.Cells = append(line.Cells, h)
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// linkedRuns returns the IDs in a text if the page has all of them, otherwise nil.
func linkedRuns(text string, linked func(string) bool) []string {
	ids := strings.Fields(text)
	for _, id := range ids {
		if !linked(id) {
			return nil
		}
	}
	return ids
}

// class returns the CSS classes of a cell in a column whose cells have up to so many footnotes.
func class(c term.Column, faint bool, marks int) string {
	var out []string
	if marks > 1 {
		out = append(out, fmt.Sprintf("marks%d", min(marks, 3)))
	}
	if c.Right {
		out = append(out, "n")
	}
	if c.Holds == term.IDs {
		out = append(out, "traces")
	}
	if faint {
		out = append(out, "faint")
	}
	return strings.Join(out, " ")
}
