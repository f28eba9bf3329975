package render

import (
	"imdbexp/internal/format"
	"imdbexp/internal/term"

	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed html.tmpl
var htmlTemplate string

// The templates escape whatever they insert by its place: text, attribute, link.
var htmlTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("html").Parse(htmlTemplate))
})

// HTML writes the sections, to be put into a page.
func (v View) HTML(w io.Writer) error {
	v.Empty = template.HTMLEscapeString(v.Empty)
	return v.write(w, "<p>", "</p>", func(text string) string { return `<p class="keys">` + template.HTMLEscapeString(text) + "</p>\n" }, func(out *strings.Builder) error {
		list, err := v.HTMLSections(nil)
		for _, s := range list {
			out.WriteString(term.Page(string(s.HTML)))
		}
		return err
	})
}

// HTMLSection is a section as it stands in a page.
type HTMLSection struct {
	ID, Title string
	HTML      template.HTML
}

// The data of the templates.
type (
	htmlSection struct {
		ID, Title, Keys string
		Tables          []htmlTable
		Notes           []htmlNote
	}
	htmlTable struct {
		Caption string
		Heads   []htmlCell
		Rows    []htmlRow
	}
	htmlRow struct {
		First bool // of the lines under one label
		Cells []htmlCell
	}
	htmlCell struct {
		Text, More string
		Class      string     // "n" for numbers, "faint", "traces"
		Links      []string   // instead of the text: the IDs of runs that the page has
		Marks      []htmlNote // without the text of the notes
		Head       bool
		Span       int // lines that a head stands for, where more than one
	}
	htmlNote struct{ ID, Text string }
)

// HTMLSections writes the sections; linked tells of the short ID of a run whether the
// page has a place for it.
func (v View) HTMLSections(linked func(string) bool) ([]HTMLSection, error) {
	var out []HTMLSection
	for i, s := range v.Sections {
		h := htmlSection{ID: fmt.Sprintf("table-%d", i+1), Title: format.Unbroken(s.Title), Keys: s.allKeys()}
		note := func(n int) string { return fmt.Sprintf("note-%d-%d", i+1, n) }
		for _, t := range s.Tables {
			h.Tables = append(h.Tables, t.html(note, linked))
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

func (t *Table) html(note func(int) string, linked func(string) bool) htmlTable {
	out := htmlTable{Caption: t.Caption}
	marks := make([]int, len(t.Columns)) // the most that a cell of the column has
	for _, row := range t.rows {
		for j, e := range row {
			marks[j] = max(marks[j], len(e.Marks))
		}
	}
	for j, c := range t.Columns {
		out.Heads = append(out.Heads, htmlCell{Text: c.Head, Class: c.class(false, marks[j])})
	}
	head := 0 // the row whose label stands for this one
	for i, row := range t.rows {
		var line htmlRow
		for j, e := range row {
			c := htmlCell{Text: e.Text, More: e.More, Class: t.Columns[j].class(e.Faint, marks[j]), Head: j == 0}
			for _, m := range e.Marks {
				c.Marks = append(c.Marks, htmlNote{note(m), fmt.Sprint(m)})
			}
			if t.Columns[j].Traces && linked != nil && e.Text != "" {
				c.Links = linkedRuns(e.Text, linked)
			}
			switch {
			case j > 0:
			case i > 0 && e.Text == "":
				out.Rows[head].Cells[0].Span = i - head + 1
				continue
			default:
				head, line.First = i, true
			}
			line.Cells = append(line.Cells, c)
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// linkedRuns returns the IDs in a text if the page has all of them, else nil.
func linkedRuns(text string, linked func(string) bool) []string {
	ids := strings.Fields(text)
	for _, id := range ids {
		if !linked(id) {
			return nil
		}
	}
	return ids
}

// class returns the classes of a column's cells, in which so many footnotes are marked
// beside a number.
func (c Column) class(faint bool, marks int) string {
	var out []string
	if marks > 1 {
		out = append(out, fmt.Sprintf("marks%d", min(marks, 3)))
	}
	if !c.Left {
		out = append(out, "n")
	}
	if c.Traces {
		out = append(out, "traces")
	}
	if faint {
		out = append(out, "faint")
	}
	return strings.Join(out, " ")
}
