package report

import (
	"io"
	"strings"
)

// section is what stands under one heading, the same in every format: tables,
// what their signs mean, and the footnotes.
type section struct {
	title  string
	tables []*table
	keys   func(level int) string // what the signs mean; level is that of the first table as shown
	notes  []Note                 // the marks in the tables count them from 1
}

// view is what a report shows, section by section. Each format is a method of it.
type view struct {
	sections []section
	empty    string // what to tell when there are none
	leftOut  []Note // on runs of which nothing can be shown
}

func (r *Report) view() view {
	v := view{empty: r.Empty(), leftOut: r.leftOut}
	for _, b := range r.Blocks {
		v.sections = append(v.sections, b.section())
	}
	return v
}

func (b *Block) section() section {
	var notes footnotes
	var tables []*table
	if len(b.Rows) > 0 {
		tables = append([]*table{b.accuracyTable(&notes), b.detailTable()}, b.translationTables()...)
	}
	for _, t := range b.Trials {
		tables = append(tables, t.table(b, &notes))
	}
	return section{title: b.Title, tables: tables, keys: b.keys, notes: notes.list}
}

// write writes what a format has made of the view, or the message that there is
// nothing, with before and after around it; then, as note writes it, what is left out.
func (v view) write(w io.Writer, before, after string, note func(text string) string, format func(*strings.Builder) error) error {
	var out strings.Builder
	if v.empty != "" {
		out.WriteString(before + v.empty + after + "\n")
	} else if err := format(&out); err != nil {
		return err
	}
	for _, n := range v.leftOut {
		out.WriteString("\n" + note("Left out, "+n.String()+"."))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
