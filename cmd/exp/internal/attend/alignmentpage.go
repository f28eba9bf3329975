package attend

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"sync"

	"gonum.org/v1/plot/vg"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/term"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

//go:embed alignment.html
var alignmentHTML string

var alignmentTemplate = sync.OnceValue(func() *template.Template {
	funcs := template.FuncMap{"decimal": decimal, "percent": func(w float64) int { return int(math.Round(100 * w)) }}
	return template.Must(template.New("alignment").Funcs(funcs).Parse(alignmentHTML))
})

// alignmentSheet is the content of the page.
type alignmentSheet struct {
	Title, Epoch, Source, Translation, Unknown, Key string
	Main                                            translator.Alignment
	Heads                                           []translator.Alignment // each head, if there are several
}

// writeAlignment writes an alignment as one self-contained page.
func writeAlignment(a *cli.App, run *runs.Run, m *translator.Model, text string, s *translator.Sentence, view translator.Alignment, o options) error {
	sheet := alignmentSheet{
		Title: run.Label(), Epoch: fmt.Sprintf("%s; weights of epoch %d, beam=%d", a.Names().About(&run.Config), m.Epoch, m.Beam()), Source: text,
		Translation: translated(s), Unknown: modelview.Quoted(s.Unknown()), Key: view.Key, Main: view,
	}
	if layers, heads := s.Heads(o.of); layers*heads > 1 {
		for l := 1; l <= layers; l++ {
			for h := 1; h <= heads; h++ {
				one, err := s.Align(o.of, infer.Look{Layer: l, Head: h, Word: o.look.Word})
				if err != nil {
					return err
				}
				one.Of = one.Head
				sheet.Heads = append(sheet.Heads, one)
			}
		}
	}
	return writePage(a.IO, alignmentTemplate(), sheet, o.html)
}

// widestTitle cuts a long sentence in a picture's title, in columns; the axis has all words.
const widestTitle = 160

// drawAlignment draws an alignment as a picture.
func drawAlignment(a *cli.App, run *runs.Run, m *translator.Model, text string, v translator.Alignment, out string) error {
	matrix := chart.Matrix{
		Title: v.Of, X: v.Across, Y: v.Down, Rows: len(v.Rows), Cols: len(v.Columns),
		Words: v.Columns, RowWords: v.Rows, High: 1, Bar: true,
		At: func(i, j int) float64 {
			if j >= len(v.Weights[i]) {
				return math.NaN() // masked: a blank cell
			}
			return v.Weights[i][j]
		},
	}
	what := "Attention: "
	if v.Of == v.Head {
		what = "Alignment: "
	}
	f, err := chart.Heatmaps("alignment-"+run.Label(), what+term.Cut(term.Visible(text), widestTitle),
		fmt.Sprintf("%s · %s · weights of epoch %d · beam=%d · each row adds up to one", run.Label(), a.Names().About(&run.Config), m.Epoch, m.Beam()), []chart.Matrix{matrix})
	if err != nil {
		return err
	}
	size := chart.HeatmapSize(1, 1)
	grown := vg.Length(min(1.8, max(1.15, float64(max(len(v.Rows), len(v.Columns)))/12))) // room for the words of long sentences
	size.Width, size.Height = grown*size.Width, grown*size.Height
	return a.WritePicture(f, size, out, v.Key+": the darker a cell, the more of the attention falls on that word.")
}
