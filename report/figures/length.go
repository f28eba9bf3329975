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
// runs have no length here.
func lengths(all []*drawing) []canvas.Figure {
	return byLength(all, byLengths{
		name: "length", title: "Accuracy by length of the review", x: "words", y: "accuracy (%)",
		binned: "test reviews in bins of %s by length", log: true,
		bins: func(d *drawing) []report.LengthBin {
			if d.Config.General().NGrams > 1 || len(d.test().lengths) < 2 {
				return nil
			}
			return d.test().lengths
		},
	})
}

// translations returns, for each set of sentence pairs, a figure of exact match by
// the length of the source: of each experiment the run that stands best for it.
func translations(all []*drawing) []canvas.Figure {
	return byLength(all, byLengths{
		name: "translation", title: "Exact match by length of the sentence", x: "words of the source", y: "exact match (%)",
		binned: "greedily decoded test pairs in bins of %s by words of the source",
		bins: func(d *drawing) []report.LengthBin {
			if d.Translated == nil {
				return nil
			}
			return d.Translated.Lengths
		},
	})
}

// byLengths says what a figure shows by the length of texts.
type byLengths struct {
	name, title, x, y string
	binned            string                            // what is in bins, of %s
	log               bool                              // where lengths span a factor of four
	bins              func(*drawing) []report.LengthBin // none of a run without
}

// byLength returns a figure for each set of reviews, with a panel for each run, in which the other runs are grey.
func byLength(all []*drawing, by byLengths) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		shown, undrawn := g.oneEach(experiment, func(d *drawing) bool { return len(by.bins(d)) > 0 })
		if len(shown) == 0 {
			continue
		}
		p := chart.LinePanel{X: by.x, Y: by.y, Margin: margin, Ticks: canvas.Ticks{N: 5}, Scale: chart.AccuracyScale(guessed(g.list))}
		var who []string
		var sizes []int // differ because texts of one length stay together
		for i, d := range shown {
			c := chart.Numbered(d.Config.Name, i, nil)
			c.Bars = true
			for _, b := range by.bins(d) {
				w := stats.Wilson(float64(b.Right), float64(b.Reviews))
				c.Points = append(c.Points, chart.Point{X: float64(max(1, b.Words)), Y: 100 * b.Accuracy(), Low: 100 * w.Low, High: 100 * w.High})
				sizes = append(sizes, b.Reviews)
			}
			p.Others = append(p.Others, c)
			who = append(who, fmt.Sprintf("%s %s, %s%s", d.Run.Label(), strings.Join(d.how(), " "), d.Variant(), d.ofSeeds()))
		}
		if across, _ := p.Extent(); by.log && across.High >= 4*across.Low {
			p.Log, p.X, p.Ticks = true, p.X+" (logarithmic)", canvas.DecadeTicks{1, 2, 5}
		}
		var panels []chart.LinePanel
		for i, c := range p.Others {
			own := p
			own.Title, own.Curves = c.Name, p.Others[i:i+1]
			panels = append(panels, own)
		}
		f := canvas.Figure{Name: by.name + "-" + g.name, Title: by.title, Columns: min(3, len(panels)), Shared: true, Panels: canvas.Panels(panels)}
		f.Size = rowsOf((len(panels)+2)/3, 4.6, 3.5)
		f.Caption = fmt.Sprintf("%s · %s; bars: 95 %% Wilson intervals · %s", g.title, fmt.Sprintf(by.binned, span(sizes)), strings.Join(who, "; ")) + nearMedian(shown)
		if len(shown) > 1 {
			f.Caption += " · grey: the other models"
		}
		f.Caption += undrawn
		out = append(out, f)
	}
	return out
}

// margin is the share of an axis at its ends, for marks.
const margin = 0.03
