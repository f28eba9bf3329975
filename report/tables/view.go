package tables

import (
	"imdbexp/internal/term"
	"imdbexp/report/internal/render"
)

func (b *Block) section() render.Section {
	var notes render.Footnotes
	var tables []*term.Table
	if len(b.Rows) > 0 {
		tables = append([]*term.Table{b.accuracyTable(&notes), b.detailTable()}, b.translationTables()...)
		if t := b.smoothedTable(); t != nil {
			tables = append(tables, t)
		}
	}
	for _, t := range b.Trials {
		tables = append(tables, t.table(b, &notes))
	}
	return render.Section{Title: b.Title, Tables: tables, Keys: b.keys, Notes: notes.List}
}
