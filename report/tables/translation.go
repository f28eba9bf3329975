package tables

import (
	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/internal/render"
)

// translationTables set greedy decoding beside beam search, and short sentences
// beside long ones; nil for runs that do not translate, or have not yet.
func (b *Block) translationTables() []*render.Table {
	var bins []report.LengthBin
	for _, row := range b.Rows {
		for _, c := range row.Cells {
			if t := c.Runs[0].Translated; t != nil {
				bins = t.Lengths // the same of all: they saw the same pairs
			}
		}
	}
	if bins == nil {
		return nil
	}
	decoded := &render.Table{Caption: "Greedy decoding and beam search", Columns: []render.Column{{Left: true, Keep: true}, {Head: "variant", Left: true, Level: 1},
		{Head: "exact, greedy"}, {Head: "exact, beam"}, {Head: "BLEU, greedy", Level: 1}, {Head: "BLEU, beam", Level: 1}}}
	lengths := &render.Table{Caption: "Exact match by words of the source, greedy", Folds: 2, Columns: []render.Column{
		{Head: "exact by source words", Left: true, Keep: true}, {Head: "variant", Left: true, Level: 2}}}
	for _, bin := range bins {
		lengths.Columns = append(lengths.Columns, render.Column{Head: bin.Range()})
	}
	for _, row := range b.Rows {
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil || c.Runs[0].Translated == nil {
				continue
			}
			line := func(decimals int, of ...func(report.Translated) float64) []render.Entry {
				out := []render.Entry{{Text: row.Label()}, {Text: v}}
				for _, f := range of {
					out = append(out, render.Entry{Text: format.Fixed(c.Translated(f).Mean, decimals)})
				}
				return out
			}
			decoded.Add(line(2, func(t report.Translated) float64 { return t.Greedy.Exact }, func(t report.Translated) float64 { return t.Beam.Exact },
				func(t report.Translated) float64 { return t.Greedy.BLEU }, func(t report.Translated) float64 { return t.Beam.BLEU })...)
			var shares []func(report.Translated) float64
			for i := range bins {
				shares = append(shares, func(t report.Translated) float64 { return t.At(i) })
			}
			lengths.Add(line(1, shares...)...)
		}
	}
	return []*render.Table{decoded, lengths}
}
