package render

import (
	"io"
	"strings"

	"imdbexp/report"
)

// Section is what stands under one heading, the same in every format: tables,
// what their signs mean, and the footnotes.
type Section struct {
	Title  string
	Tables []*Table
	Keys   func(level int) string // what the signs mean; level is that of the first table as shown
	Notes  []report.Note          // the marks in the tables count them from 1
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
