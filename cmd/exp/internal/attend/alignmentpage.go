package attend

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"

	"gonum.org/v1/plot/vg"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/picture"
	"imdbexp/cmd/exp/internal/texts"
	"imdbexp/internal/term"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

//go:embed alignment.html
var alignmentHTML string

var alignmentTemplate = template.Must(template.New("alignment").Parse(alignmentHTML))

// alignmentSheet is what the page shows.
type alignmentSheet struct {
	Title, Epoch, Source, Translation, Unknown string
	Main                                       alignmentTable
	Heads                                      []alignmentTable // each head by itself, where there are several
}

type alignmentTable struct {
	Of     string
	Source []string
	Rows   []alignmentRow
}

type alignmentRow struct {
	Word  string
	Cells []alignmentMark
}

type alignmentMark struct {
	Strength, Title string
	Percent         int
}

// writeAlignment writes an alignment as one page that needs nothing else.
func writeAlignment(a *cli.App, run *runs.Run, m *infer.Translator, text string, s *infer.Sentence, view infer.Alignment, path string) error {
	sheet := alignmentSheet{
		Title: run.Label(), Epoch: fmt.Sprintf("%s; weights of epoch %d, beam=%d", a.Names().About(&run.Config), m.Epoch, m.Beam()), Source: text,
		Translation: translated(s), Unknown: texts.Quoted(s.Unknown()), Main: newAlignmentTable(view),
	}
	if layers, heads := s.Heads(); layers*heads > 1 {
		for l := 1; l <= layers; l++ {
			for h := 1; h <= heads; h++ {
				one, err := s.Align(l, h)
				if err != nil {
					return err
				}
				sheet.Heads = append(sheet.Heads, newAlignmentTable(one))
			}
		}
	}
	return writePage(a.IO, alignmentTemplate, sheet, path)
}

func newAlignmentTable(v infer.Alignment) alignmentTable {
	t := alignmentTable{Of: v.Of, Source: v.Source}
	for i, word := range v.Target {
		row := alignmentRow{Word: word}
		for j, w := range v.Weights[i] {
			row.Cells = append(row.Cells, alignmentMark{decimal(w), fmt.Sprintf("%s – %s: %.3f", word, v.Source[j], w), int(math.Round(100 * w))})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// widestTitle bounds what a picture's title shows of a long sentence, in columns: all
// of its words stand at the axis.
const widestTitle = 160

// drawAlignment draws an alignment as a picture.
func drawAlignment(a *cli.App, run *runs.Run, m *infer.Translator, text string, v infer.Alignment, out string) error {
	matrix := chart.Matrix{
		Title: v.Of, X: "source", Y: "translation", Rows: len(v.Target), Cols: len(v.Source),
		Words: v.Source, RowWords: v.Target, High: 1, Bar: true,
		At: func(i, j int) float64 { return v.Weights[i][j] },
	}
	f, err := chart.Heatmaps("alignment-"+run.Label(), "Alignment: "+term.Cut(texts.Printable(text), widestTitle),
		fmt.Sprintf("%s · %s · weights of epoch %d · beam=%d · each row adds up to one", run.Label(), a.Names().About(&run.Config), m.Epoch, m.Beam()), []chart.Matrix{matrix})
	if err != nil {
		return err
	}
	size := chart.HeatmapSize(1, 1)
	grown := vg.Length(min(1.8, max(1.15, float64(max(len(v.Target), len(v.Source)))/12))) // room for the words of long sentences
	size.Width, size.Height = grown*size.Width, grown*size.Height
	return picture.Write(a.IO, f, size, out, "Each row is a word of the translation: the darker a cell, the more of the attention falls on that word of the source.")
}
