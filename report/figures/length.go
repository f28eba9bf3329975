package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

var _ = register(kind{name: "length", many: lengths})

// lengthBins is how many bins of review lengths accuracy is shown in.
const lengthBins = 10

// family is a part of the runs by what they keep of a review, which is what its length
// strains.
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
func lengths(all []*drawing) []canvas.Figure {
	var out []canvas.Figure
	for _, g := range byReviews(all) {
		for i, fam := range families {
			var shown []*drawing
			for _, d := range inTableOrder(g.list) {
				twice := slices.ContainsFunc(shown, func(o *drawing) bool { return o.Config.Name == d.Config.Name })
				if d.family() == i && !twice && len(d.test().lengths) > 1 {
					shown = append(shown, d)
				}
			}
			if len(shown) > 0 {
				f := lengthFigure(g, fam.length, shown)
				f.Name, f.Title = fmt.Sprintf("length-%s-%s", g.name, fam.name), "Accuracy by length of the review: "+fam.title
				out = append(out, f)
			}
		}
	}
	return out
}

func lengthFigure(g sameReviews, length string, shown []*drawing) canvas.Figure {
	f := canvas.Figure{Size: canvas.Tall}
	lines := lengthLines(&f, g, shown, func(d *drawing) []report.LengthBin { return d.test().lengths }, func(bins []report.LengthBin) string {
		return "test reviews in bins of about " + format.Thousands(bins[0].Reviews) + " by length"
	})
	all := lengthPanel{lines: lines, x: length + " of the review (logarithmic)", y: "accuracy (%)", scale: accuracyScale(len(g.list[0].Config.Classes))}
	if len(lines) <= maxLengthLines {
		f.Panels = canvas.Panels([]lengthPanel{all})
		return f
	}
	const columns = 3
	var panels []lengthPanel
	for i, l := range lines {
		p := all
		p.title, p.x, p.lines, p.others = l.name, length, lines[i:i+1], lines
		p.noX, p.noY = i+columns < len(lines), i%columns > 0
		panels = append(panels, p)
	}
	f.Panels, f.Columns, f.Legend = canvas.Panels(panels), columns, nil
	f.Size.Height = 3.5*vg.Centimeter + vg.Length((len(lines)+columns-1)/columns)*4.6*vg.Centimeter
	f.Caption += " · grey: the other models"
	return f
}

// lengthLines returns a line for each run, and writes legend and caption; binned says
// how the first is binned.
func lengthLines(f *canvas.Figure, g sameReviews, shown []*drawing, of func(*drawing) []report.LengthBin, binned func([]report.LengthBin) string) []lengthLine {
	var lines []lengthLine
	var who []string
	for i, d := range shown {
		lines = append(lines, lengthLine{d.Config.Name, of(d), i, len(shown)})
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: d.Config.Name, Line: func(s canvas.Style) draw.LineStyle { return s.Line(1.3, canvas.Series[i%len(canvas.Series)]) }, Shape: canvas.Shapes[i%len(canvas.Shapes)]})
		who = append(who, fmt.Sprintf("%s %s, %s%s", d.Run.Label(), strings.Join(d.how(), " "), d.Variant(), d.ofSeeds()))
	}
	f.Caption = fmt.Sprintf("%s · %s; bars: 95 %% Wilson intervals · %s", g.title, binned(lines[0].bins), strings.Join(who, "; ")) +
		nearMedian(shown) + unreadable(g.list)
	return lines
}

// lengthLine is the accuracy of the i-th of n models.
type lengthLine struct {
	name string
	bins []report.LengthBin
	i, n int
}

// maxLengthLines is the largest number of lines whose bars can be told from each other in one
// panel. More models have a panel each.
const maxLengthLines = 5

type lengthPanel struct {
	title    string
	noX, noY bool // a panel below, or to the left, names the axis
	lines    []lengthLine
	others   []lengthLine // drawn behind, without bars; all panels of a figure get the same axes by them
	x, y     string       // labels of the axes
	linear   bool         // the axis of lengths: sentences are short
	scale    scale
}

func (lp lengthPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(lp.title, lp.x, lp.y)
	if lp.noX {
		p.X.Label.Text = ""
	}
	if lp.noY {
		p.Y.Label.Text = ""
	}
	p.Add(s.Net(false, true))
	level := lp.scale.line(s)
	shortest, longest := math.Inf(1), 0.0
	for _, l := range lp.others {
		points := l.points(lp.linear)
		p.Add(canvas.Curve(points, s.Line(0.8, canvas.Hairline)))
		for i, at := range points.XYs {
			bar := points.YErrors[i]
			p.Y.Min, p.Y.Max = min(p.Y.Min, at.Y+bar.Low), max(p.Y.Max, at.Y+bar.High)
			shortest, longest = min(shortest, at.X), max(longest, at.X)
		}
	}
	for _, l := range lp.lines {
		points := l.points(lp.linear)
		l.plot(p, s, points)
		level.Around = append(level.Around, points.XYs)
		for i, at := range points.XYs {
			bar := points.YErrors[i]
			level.Around = append(level.Around, plotter.XYs{{X: at.X, Y: at.Y - math.Abs(bar.Low)}, {X: at.X, Y: at.Y + math.Abs(bar.High)}})
		}
		shortest, longest = min(shortest, points.XYs[0].X), max(longest, points.XYs[len(points.XYs)-1].X)
	}
	margin := 0.03 * (longest - shortest)
	p.X.Min, p.X.Max = shortest-margin, longest+margin
	if !(longest > shortest) {
		p.X.Min, p.X.Max = shortest-0.1, shortest+0.1
	}
	if !lp.linear {
		p.X.Tick.Marker = canvas.DecadeTicks{1, 2, 3, 5, 7} // lengths span little more than one
	}
	axis := lp.scale.axis(ends{p.Y.Min, p.Y.Max})
	p.Y.Min, p.Y.Max = axis.low, axis.high
	if lp.scale.chance > 0 {
		p.Add(level)
	}
	return p
}

// plot adds the line to a panel.
func (l lengthLine) plot(p *plot.Plot, s canvas.Style, points canvas.ErrorPoints) {
	line := canvas.Curve(points, s.Line(1.3, canvas.Series[l.i%len(canvas.Series)]))
	marks := canvas.Dots(s, points.XYs, line.LineStyle)
	marks.Shape = canvas.Shapes[l.i%len(canvas.Shapes)]
	bars := canvas.Bars(points, s.Line(0.8, canvas.Series[l.i%len(canvas.Series)]), 3*s.Unit)
	p.Add(bars, line, marks)
}

// points returns the line's points; points of several models are shifted a little from
// each other, for their bars to be seen.
func (l lengthLine) points(linear bool) canvas.ErrorPoints {
	var out canvas.ErrorPoints
	place, beside := math.Log10, 0.008*(float64(l.i)-float64(l.n-1)/2)
	if linear {
		place, beside = func(x float64) float64 { return x }, 0.15*(float64(l.i)-float64(l.n-1)/2)
	}
	for _, b := range l.bins {
		w, err := stats.Wilson(float64(b.Right), float64(b.Reviews))
		if err != nil {
			continue // never: bins hold reviews
		}
		accuracy := b.Accuracy()
		out.XYs = append(out.XYs, plotter.XY{X: place(float64(max(1, b.Words))) + beside, Y: 100 * accuracy})
		out.YErrors = append(out.YErrors, struct{ Low, High float64 }{100 * (w.Low - accuracy), 100 * (w.High - accuracy)})
	}
	return out
}
