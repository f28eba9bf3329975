package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
)

// HTML writes the report's tables and footnotes as sections to be put into a
// page of one's own; Page writes a whole one.
func (r *Report) HTML(w io.Writer) error { return r.view().html(w) }

//go:embed page/*.tmpl page/*.css
var pageFiles embed.FS

// The templates escape whatever they insert by its place: text, attribute, link.
var pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.tmpl"))

func (v view) html(w io.Writer) error {
	v.empty = template.HTMLEscapeString(v.empty)
	return v.write(w, "<p>", "</p>", func(text string) string { return `<p class="keys">` + template.HTMLEscapeString(text) + "</p>\n" }, func(out *strings.Builder) error {
		for _, s := range v.htmlSections(nil) {
			if err := pageTemplates.ExecuteTemplate(out, "section", s); err != nil {
				return err
			}
		}
		return nil
	})
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

// htmlSections prepares the sections; linked tells of the short ID of a run
// whether the page has a place for it.
func (v view) htmlSections(linked func(string) bool) []htmlSection {
	var out []htmlSection
	for i, s := range v.sections {
		h := htmlSection{ID: fmt.Sprintf("table-%d", i+1), Title: unbroken(s.title), Keys: s.keys(s.tables[0].levels())}
		note := func(n int) string { return fmt.Sprintf("note-%d-%d", i+1, n) }
		for _, t := range s.tables {
			h.Tables = append(h.Tables, t.html(note, linked))
		}
		for j, n := range s.notes {
			h.Notes = append(h.Notes, htmlNote{note(j + 1), unbroken(n.String() + ".")})
		}
		out = append(out, h)
	}
	return out
}

func (t *table) html(note func(int) string, linked func(string) bool) htmlTable {
	out := htmlTable{Caption: t.caption}
	marks := make([]int, len(t.columns)) // the most that a cell of the column has
	for _, row := range t.rows {
		for j, e := range row {
			marks[j] = max(marks[j], len(e.marks))
		}
	}
	for j, c := range t.columns {
		out.Heads = append(out.Heads, htmlCell{Text: c.head, Class: c.class(false, marks[j])})
	}
	head := 0 // the row whose label stands for this one
	for i, row := range t.rows {
		var line htmlRow
		for j, e := range row {
			c := htmlCell{Text: e.text, More: e.more, Class: t.columns[j].class(e.faint, marks[j]), Head: j == 0}
			for _, m := range e.marks {
				c.Marks = append(c.Marks, htmlNote{note(m), fmt.Sprint(m)})
			}
			if t.columns[j].traces && linked != nil && e.text != "" {
				c.Links = linkedRuns(e.text, linked)
			}
			switch {
			case j > 0:
			case i > 0 && e.text == "":
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
func (c column) class(faint bool, marks int) string {
	var out []string
	if marks > 1 {
		out = append(out, fmt.Sprintf("marks%d", min(marks, 3)))
	}
	if !c.left {
		out = append(out, "n")
	}
	if c.traces {
		out = append(out, "traces")
	}
	if faint {
		out = append(out, "faint")
	}
	return strings.Join(out, " ")
}

var spacedDigits = regexp.MustCompile(`(\d) (\d{3})\b`)

// unbroken keeps the digits of a number on one line.
func unbroken(text string) string { return spacedDigits.ReplaceAllString(text, "$1\u00a0$2") }
