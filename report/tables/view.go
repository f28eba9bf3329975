package tables

import (
	"io"

	"imdbexp/report/internal/render"
)

// View returns what the report shows, for all formats.
func (r *Report) View() render.View {
	v := render.View{Empty: r.Empty(), LeftOut: r.LeftOut}
	for _, b := range r.Blocks {
		v.Sections = append(v.Sections, b.section())
	}
	return v
}

func (b *Block) section() render.Section {
	var notes render.Footnotes
	var tables []*render.Table
	if len(b.Rows) > 0 {
		tables = append([]*render.Table{b.accuracyTable(&notes), b.detailTable()}, b.translationTables()...)
		if t := b.smoothedTable(); t != nil {
			tables = append(tables, t)
		}
	}
	for _, t := range b.Trials {
		tables = append(tables, t.table(b, &notes))
	}
	return render.Section{Title: b.Title, Tables: tables, Keys: b.keys, Notes: notes.List}
}

// Text writes the report as plain tables of at most width columns (0: as wide as
// they get), in colour or not. Columns that do not fit are left out, the least
// important first, or stand in a further table below; all are in the other formats.
func (r *Report) Text(w io.Writer, width int, color bool) error {
	return r.View().Text(w, width, color)
}

// Markdown writes the report as pipe tables with every column.
func (r *Report) Markdown(w io.Writer) error { return r.View().Markdown(w) }

// LaTeX writes the report as floating tables with every column but the runs,
// which stand behind each row as a comment. It needs the packages booktabs and
// graphicx (which narrows tables wider than the line), and UTF-8 input.
func (r *Report) LaTeX(w io.Writer) error { return r.View().LaTeX(w) }

// HTML writes the report's tables and footnotes as sections to be put into a
// page of one's own; Page writes a whole one.
func (r *Report) HTML(w io.Writer) error { return r.View().HTML(w) }
