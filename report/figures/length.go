package figures

import (
	"fmt"
	"strings"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var _ = register(kind{name: "length", many: lengths})
var _ = register(kind{name: "translation", many: translations})

// lengthBins is how many bins of review lengths accuracy is shown in.
const lengthBins = 10

// lengths returns figures of accuracy by the length of the review: for each set of reviews the run of each experiment
// that stands best for it. With vectors of n-grams a run has kept the number of these with that of the words, so such
// runs have a figure of their own.
func lengths(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		for _, ngrams := range []bool{false, true} {
			f := canvas.Figure{Name: "length-" + g.name, Title: "Accuracy by length of the review"}
			p := chart.LinePanel{X: "words", Y: "accuracy (%)", Scale: chart.AccuracyScale(guessed(g.list)), Log: true}
			if ngrams {
				f.Name, f.Title, p.X = f.Name+"-ngrams", f.Title+": vectors of words and n-grams", "words and n-grams"
			}
			shown, fit := g.oneEach(func(d *drawing) bool {
				return (d.Config.General().NGrams > 1) == ngrams && len(d.test().lengths) > 1
			})
			if len(shown) > 0 {
				out = append(out, byLength(f, p, g, shown, fit, func(d *drawing) []report.LengthBin { return d.test().lengths }, "test reviews in bins of %s by length"))
			}
		}
	}
	return out
}

// translations returns, for each set of sentence pairs, a figure of exact match by
// the length of the source: of each experiment the run that stands best for it.
func translations(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		shown, fit := g.oneEach(func(d *drawing) bool { return d.Translated != nil })
		if len(shown) > 0 {
			f := canvas.Figure{Name: "translation-" + g.name, Title: "Exact match by length of the sentence"}
			p := chart.LinePanel{X: "words of the source", Y: "exact match (%)", Scale: chart.AccuracyScale(nil)}
			out = append(out, byLength(f, p, g, shown, fit, func(d *drawing) []report.LengthBin { return d.Translated.Lengths },
				"greedily decoded test pairs in bins of %s by words of the source"))
		}
	}
	return out
}

// byLength completes a figure with a panel like p for each run, in which the other runs are grey; binned says what is in
// bins, of %s.
func byLength(f canvas.Figure, p chart.LinePanel, g sameReviews, shown, fit []*drawing, of func(*drawing) []report.LengthBin, binned string) canvas.Figure {
	var who []string
	var sizes []int // differ because texts of one length stay together
	for i, d := range shown {
		c := chart.Numbered(d.Config.Name, i, nil)
		c.Bars = true
		for _, b := range of(d) {
			w := stats.Wilson(float64(b.Right), float64(b.Reviews))
			c.Points = append(c.Points, chart.Point{X: float64(max(1, b.Words)), Y: 100 * b.Accuracy(), Low: 100 * w.Low, High: 100 * w.High})
			sizes = append(sizes, b.Reviews)
		}
		p.Others = append(p.Others, c)
		who = append(who, fmt.Sprintf("%s %s, %s%s", d.Run.Label(), strings.Join(d.how(), " "), d.Variant(), d.ofSeeds()))
	}
	p.Margin, p.Ticks = margin, canvas.Ticks{N: 5}
	if across, _ := p.Extent(); across.High < 4*across.Low {
		p.Log = false
	} else if p.Log {
		p.X, p.Ticks = p.X+" (logarithmic)", canvas.DecadeTicks{1, 2, 5}
	}
	var panels []chart.LinePanel
	for i, c := range p.Others {
		own := p
		own.Title, own.Curves = c.Name, p.Others[i:i+1]
		panels = append(panels, own)
	}
	f.Columns, f.Shared, f.Panels = min(3, len(panels)), true, canvas.Panels(panels)
	f.Size = rowsOf((len(panels)+2)/3, 4.6, 3.5)
	f.Caption = fmt.Sprintf("%s · %s; bars: 95 %% Wilson intervals · %s", g.title, fmt.Sprintf(binned, span(sizes)), strings.Join(who, "; ")) + nearMedian(shown)
	if len(shown) > 1 {
		f.Caption += " · grey: the other models"
	}
	f.Caption += undrawn(fit, shown)
	return f
}

// margin is the share of an axis at its ends, for marks.
const margin = 0.03
