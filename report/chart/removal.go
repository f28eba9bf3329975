package chart

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
)

// RemovalPanel shows how one number changes when words are removed from reviews.
type RemovalPanel struct {
	Title string
	Axis  string
	Least float64       // span of the axis, at least
	Whole float64       // of whole reviews, a dashed line; NaN: none
	Lines []RemovalLine // in the same order in every panel
}

// RemovalLine is one way to choose the words.
type RemovalLine struct {
	Name   string
	Chance bool         // not chosen, but drawn
	Y      []float64    // for each share of words
	Ends   [][2]float64 // low and high of the 95 % intervals, NaN for none; nil: no intervals
}

// removalSeries are the styles of the lines; chance has its own.
var removalSeries = []color.NRGBA{canvas.Green, canvas.Orange, canvas.Sky, canvas.Vermillion, canvas.Blue}

// Removals draws panels over the share of words removed, in percent and rising.
func Removals(name, title, caption string, percent []float64, panels ...RemovalPanel) canvas.Figure {
	f := canvas.Figure{Name: name, Title: title, Caption: caption, Size: canvas.Page}
	for i, l := range panels[0].Lines {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: l.Name, Line: removalLook(i, l), Shape: removalShape(i)})
	}
	var all []removalPanel
	for _, p := range panels {
		all = append(all, removalPanel{p, percent})
	}
	f.Panels = canvas.Panels(all)
	return f
}

func removalShape(i int) draw.GlyphDrawer { return canvas.Shapes[i%len(canvas.Shapes)] }

func removalLook(i int, l RemovalLine) func(canvas.Style) draw.LineStyle {
	if l.Chance {
		return func(s canvas.Style) draw.LineStyle { return s.Line(1.2, canvas.Faint, 2, 1.6) }
	}
	return func(s canvas.Style) draw.LineStyle { return s.Line(1.4, removalSeries[i%len(removalSeries)]) }
}

type removalPanel struct {
	RemovalPanel
	percent []float64
}

func (rp removalPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(rp.Title, "words (% of the review)", rp.Axis)
	p.Add(s.Net(false, true))
	first, last := math.Log10(rp.percent[0]), math.Log10(rp.percent[len(rp.percent)-1])
	if rp.Whole == rp.Whole {
		p.Add(canvas.Curve(plotter.XYs{{X: first, Y: rp.Whole}, {X: last, Y: rp.Whole}}, s.Line(0.8, canvas.Ink, 1, 2)))
	}
	for i, l := range rp.Lines {
		var points canvas.ErrorPoints
		for k, y := range l.Y {
			low, high := y, y
			if l.Ends != nil && l.Ends[k] == l.Ends[k] { // not NaN
				low, high = l.Ends[k][0], l.Ends[k][1]
			}
			points.XYs = append(points.XYs, plotter.XY{X: math.Log10(rp.percent[k]), Y: y})
			points.YErrors = append(points.YErrors, struct{ Low, High float64 }{low - y, high - y})
		}
		line := canvas.Curve(points, removalLook(i, l)(s))
		marks := canvas.Dots(s, points.XYs, line.LineStyle)
		marks.Shape = removalShape(i)
		if l.Ends != nil {
			bars := canvas.Bars(points, s.Line(0.7, line.Color), 2.5*s.Unit)
			p.Add(bars)
		}
		p.Add(line, marks)
	}
	p.X.Min, p.X.Max = first-0.05, last+0.05
	var at plot.ConstantTicks
	for k, x := range rp.percent {
		tick := plot.Tick{Value: math.Log10(x), Label: strconv.FormatFloat(x, 'g', 3, 64)}
		if k > 0 && k < len(rp.percent)-1 && math.Log10(rp.percent[k+1]/x) < 0.11 {
			tick.Label = "" // no room before the next
		}
		at = append(at, tick)
	}
	p.X.Tick.Marker = at
	margin := 0.03 * (p.Y.Max - p.Y.Min)
	margin = max(margin, (rp.Least-(p.Y.Max-p.Y.Min))/2, 1e-3)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	return p
}
