package chart

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// Dots is a figure with one panel per group, side by side with the same axes, so groups do
// not hide each other. Each dot is an item with two numbers.
type Dots struct {
	Name, Title, Caption     string
	X, Y                     string
	XLow, XHigh, YLow, YHigh float64
	Mark                     []float64 // upright lines at these x
	Groups                   []DotGroup
}

// DotGroup is the dots of one panel.
type DotGroup struct {
	Name string
	X, Y []float64
	Each int // dots per counted thing; 0: one
}

// MaxGroups is the number of groups of dots, or lines, that can be distinguished.
const MaxGroups = 6

// fewDots are drawn larger.
const fewDots = 40

// Figure returns the figure.
func (d Dots) Figure() (canvas.Figure, error) {
	f := canvas.Figure{Name: format.FileName(d.Name), Title: d.Title, Caption: d.Caption, Size: canvas.Page}
	for _, g := range d.Groups {
		if len(g.X) != len(g.Y) {
			return f, fmt.Errorf("%s: %d and %d numbers of dots", g.Name, len(g.X), len(g.Y))
		}
	}
	if len(d.Groups) == 0 || len(d.Groups) > len(manyColours) {
		return f, fmt.Errorf("%s: %d groups; want 1 to %d", d.Title, len(d.Groups), len(manyColours))
	}
	f.Panels = func(s canvas.Style) []*plot.Plot {
		var out []*plot.Plot
		for i, g := range d.Groups {
			out = append(out, d.draw(s, i, g))
		}
		return out
	}
	return f, nil
}

func (d Dots) draw(s canvas.Style, i int, g DotGroup) *plot.Plot {
	p := s.Panel(fmt.Sprintf("%s (%d)", g.Name, len(g.X)/max(g.Each, 1)), d.X, d.Y)
	p.Add(s.Net(true, true))
	for _, x := range d.Mark {
		p.Add(canvas.Curve(plotter.XYs{{X: x, Y: d.YLow}, {X: x, Y: d.YHigh}}, s.Line(0.9, canvas.Ink, 3, 2)))
	}
	points := make(plotter.XYs, len(g.X))
	for k := range points {
		points[k] = plotter.XY{X: g.X[k], Y: g.Y[k]}
	}
	look := manyColours[i]
	radius := vg.Length(2.5)
	if len(g.X) > fewDots {
		look.A, radius = 110, 1.1 // where many lie, it is darker
	}
	dots := canvas.Dots(s, points, draw.LineStyle{Color: look})
	dots.Radius = radius * s.Unit
	p.Add(dots)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = d.XLow, d.XHigh, d.YLow, d.YHigh
	return p
}
