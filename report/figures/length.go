package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

var _ = register(kind{name: "length", many: lengths})

// lengthBins is how many bins of review lengths accuracy is shown in.
const lengthBins = 10

// family is the runs whose models keep the same thing of a review: that is what long
// reviews strain.
type family struct {
	name, title string
	length      string // the unit of a review's length, for the axis
	holds       func(*runs.Config) bool
}

// has reports whether a run has one of some settings, whatever their values.
func has(keys ...string) func(*runs.Config) bool {
	return func(c *runs.Config) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return c.Setting(key) != "" })
	}
}

// families are asked in their order. With vectors of n-grams a run has kept the number of
// these with that of the words: its lengths have no place on an axis of words, whatever
// its model.
var families = []family{
	{"words", "neither recurrent nor self-attention", "words", nil}, // all other models
	{"ngrams", "vectors of words and n-grams", "words and n-grams", func(c *runs.Config) bool { return c.General().NGrams > 1 }},
	{"states", "recurrent models", "words", has("hidden", "lstm.hidden")},
	{"self", "self-attention", "words", has("heads")},
}

// family returns the place of a run in families.
func (d *drawing) family() int {
	return max(0, slices.IndexFunc(families, func(f family) bool { return f.holds != nil && f.holds(&d.Config) }))
}

// lengths returns figures of accuracy by the length of the review: for each set
// of reviews one a family, in it the run of each experiment that stands
// best for it.
func lengths(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		for i, fam := range families {
			shown, fit := g.oneEach(func(d *drawing) bool { return d.family() == i && len(d.test().lengths) > 1 })
			if len(shown) > 0 {
				f := lengthFigure(g, fam.length, shown)
				f.Caption += undrawn(fit, shown)
				f.Name, f.Title = fmt.Sprintf("length-%s-%s", g.name, fam.name), "Accuracy by length of the review: "+fam.title
				out = append(out, f)
			}
		}
	}
	return out
}

func lengthFigure(g sameReviews, length string, shown []*drawing) canvas.Figure {
	f := canvas.Figure{Size: canvas.Tall}
	lines := lengthLines(&f, g, shown, func(d *drawing) []report.LengthBin { return d.test().lengths }, "test reviews in bins of %s by length", false)
	all := chart.LinePanel{
		Curves: lines, X: length + " of the review (logarithmic)", Y: "accuracy (%)", Scale: chart.AccuracyScale(guessed(g.list)),
		Log: true, Margin: margin, Ticks: canvas.DecadeTicks{1, 2, 3, 5, 7}, // lengths span little more than one decade
	}
	if across, _ := all.Extent(); across.High < 4*across.Low {
		all.Log, all.X, all.Ticks = false, length+" of the review", canvas.Ticks{N: 8}
	}
	panels := []chart.LinePanel{all}
	if n := len(lines); n > maxLengthLines {
		panels = nil
		for i, l := range lines {
			p := all
			p.Title, p.X, p.Curves, p.Others = l.Name, length, lines[i:i+1], lines
			panels = append(panels, p)
		}
		f.Columns, f.Shared, f.Legend, f.Size = 3, true, nil, rowsOf((n+2)/3, 4.6, 3.5)
		f.Caption += " · grey: the other models"
	}
	f.Panels = canvas.Panels(panels)
	return f
}

// lengthLines returns a line for each run, and writes legend and caption; binned says
// what is in bins, of %s.
func lengthLines(f *canvas.Figure, g sameReviews, shown []*drawing, of func(*drawing) []report.LengthBin, binned string, words bool) (lines []chart.Curve) {
	var who []string
	var bins []report.LengthBin
	for i, d := range shown {
		bins = append(bins, of(d)...)
		lines = append(lines, lengthLine(d.Config.Name, i, len(shown), of(d), words))
		f.Legend = append(f.Legend, lines[i].Legend())
		who = append(who, fmt.Sprintf("%s %s, %s%s", d.Run.Label(), strings.Join(d.how(), " "), d.Variant(), d.ofSeeds()))
	}
	sizes := report.Each(bins, func(b report.LengthBin) int { return b.Reviews }) // differ because texts of one length stay together
	f.Caption = fmt.Sprintf("%s · %s; bars: 95 %% Wilson intervals · %s", g.title, fmt.Sprintf(binned, span(sizes)), strings.Join(who, "; ")) + nearMedian(shown)
	return lines
}

// maxLengthLines is how many lines with bars can be told apart in one panel. With more models,
// each has its own panel.
const maxLengthLines = 5

// lengthLine is the accuracy of the i-th of n models by the length of reviews. Points of several models
// are moved a little apart, by a share of their number or by words, so that their bars do not overlap.
func lengthLine(name string, i, n int, bins []report.LengthBin, words bool) chart.Curve {
	c := chart.Numbered(name, i, nil)
	c.Bars = true
	apart := float64(i) - float64(n-1)/2
	for _, b := range bins {
		w := stats.Wilson(float64(b.Right), float64(b.Reviews))
		x := float64(max(1, b.Words)) * math.Pow(10, 0.008*apart)
		if words {
			x = float64(b.Words) + 0.15*apart
		}
		c.Points = append(c.Points, chart.Point{X: x, Y: 100 * b.Accuracy(), Low: 100 * w.Low, High: 100 * w.High})
	}
	return c
}

// margin is the share of an axis at its ends, for marks.
const margin = 0.03

var _ = register(kind{name: "translation", many: translations})

// translations returns, for each set of sentence pairs, a figure of exact match by
// the length of the source: of each experiment the run that stands best for it.
func translations(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		shown, fit := g.oneEach(func(d *drawing) bool { return d.Translated != nil })
		if shown = shown[:min(len(shown), len(canvas.Series))]; len(shown) == 0 {
			continue
		}
		f := canvas.Figure{Name: "translation-" + g.name, Title: "Exact match by length of the sentence", Size: canvas.Tall}
		lines := lengthLines(&f, g, shown, func(d *drawing) []report.LengthBin { return d.Translated.Lengths },
			"greedily decoded test pairs in bins of %s by words of the source", true)
		f.Caption += undrawn(fit, shown)
		f.Panels = canvas.Panels([]chart.LinePanel{{Curves: lines, X: "words of the source", Y: "exact match (%)", Scale: chart.AccuracyScale(nil), Margin: margin}})
		out = append(out, f)
	}
	return out
}
