package tables

import (
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
)

// translationTables compare greedy decoding with beam search, and short sentences with long ones;
// nil for runs that do not translate or have not finished.
func (b *Block) translationTables() []*term.Table {
	var bins []report.LengthBin
	for _, row := range b.Rows {
		for _, c := range row.Cells {
			if t := c.Runs[0].Translated; t != nil {
				bins = t.Lengths // the same for all: they have the same test pairs
			}
		}
	}
	if bins == nil {
		return nil
	}
	decoded := render.NewTable("Greedy decoding and beam search", render.Words("", 0), render.Words("variant", 1),
		render.Numbers("exact, greedy", 0), render.Numbers("exact, beam", 0), render.Numbers("BLEU, greedy", 1), render.Numbers("BLEU, beam", 1))
	lengths := render.NewTable("Exact match by words of the source, greedy", render.Words("exact by source words", 0), render.Words("variant", 2))
	lengths.Folds = 2
	var shares []func(report.Translated) float64
	for i, bin := range bins {
		lengths.Columns = append(lengths.Columns, render.Numbers(bin.Range(), 0))
		shares = append(shares, func(t report.Translated) float64 { return t.At(i) })
	}
	for _, row := range b.Rows {
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil || c.Runs[0].Translated == nil {
				continue
			}
			line := func(decimals int, of ...func(report.Translated) float64) []term.Cell {
				out := []term.Cell{{Text: row.Label()}, {Text: v}}
				for _, f := range of {
					out = append(out, term.Cell{Text: format.Fixed(c.Translated(f).Mean, decimals)})
				}
				return out
			}
			decoded.AddCells(line(2, func(t report.Translated) float64 { return t.Greedy.Exact }, func(t report.Translated) float64 { return t.Beam.Exact },
				func(t report.Translated) float64 { return t.Greedy.BLEU }, func(t report.Translated) float64 { return t.Beam.BLEU })...)
			lengths.AddCells(line(1, shares...)...)
		}
	}
	return []*term.Table{decoded.Filled(), lengths.Filled()}
}
