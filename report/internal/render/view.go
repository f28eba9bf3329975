package render

import (
	"io"
	"slices"
	"strings"

	"imdbexp/report"
)

// Section is what stands under one heading, the same in every format: tables,
// what their signs mean, and the footnotes.
type Section struct {
	Title  string
	Tables []*Table
	Keys   func(shown []string) string // what the signs mean that stand in columns of these heads
	Notes  []report.Note               // the marks in the tables count them from 1
}

// keys is what the signs of these columns mean.
func (s Section) keys(columns ...[]Column) string {
	var shown []string
	for _, c := range slices.Concat(columns...) {
		shown = append(shown, c.Head)
	}
	return s.Keys(shown)
}

// allKeys is what the signs of all tables mean.
func (s Section) allKeys() string {
	var all [][]Column
	for _, t := range s.Tables {
		all = append(all, t.Columns)
	}
	return s.keys(all...)
}

// View is what a report shows, section by section. Each format is a method of it.
type View struct {
	Sections []Section
	Empty    string        // what to tell when there are none
	LeftOut  []report.Note // on runs of which nothing can be shown
}

// write writes what a format has made of the view, or the message that there is
// nothing, with before and after around it; then, as note writes it, what is left out.
func (v View) write(w io.Writer, before, after string, note func(text string) string, format func(*strings.Builder) error) error {
	var out strings.Builder
	if v.Empty != "" {
		out.WriteString(before + v.Empty + after + "\n")
	} else if err := format(&out); err != nil {
		return err
	}
	for _, n := range v.LeftOut {
		out.WriteString("\n" + note("Left out, "+n.String()+"."))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
