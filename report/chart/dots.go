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
	f.Panels = func(s canvas.Style) ([]*plot.Plot, error) {
		var out []*plot.Plot
		for i, g := range d.Groups {
			p, err := d.draw(s, i, g)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", g.Name, err)
			}
			out = append(out, p)
		}
		return out, nil
	}
	return f, nil
}

func (d Dots) draw(s canvas.Style, i int, g DotGroup) (*plot.Plot, error) {
	p := s.Panel(fmt.Sprintf("%s (%d)", g.Name, len(g.X)/max(g.Each, 1)), d.X, d.Y)
	p.Add(s.Net(true, true))
	for _, x := range d.Mark {
		line, err := plotter.NewLine(plotter.XYs{{X: x, Y: d.YLow}, {X: x, Y: d.YHigh}})
		if err != nil {
			return nil, err
		}
		line.LineStyle = s.Line(0.9, canvas.Ink, 3, 2)
		p.Add(line)
	}
	points := make(plotter.XYs, len(g.X))
	for k := range points {
		points[k] = plotter.XY{X: g.X[k], Y: g.Y[k]}
	}
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	look := manyColours[i]
	radius := vg.Length(2.5)
	if len(g.X) > fewDots {
		look.A, radius = 110, 1.1 // where many lie, it is darker
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: look, Radius: radius * s.Unit, Shape: draw.CircleGlyph{}}
	p.Add(dots)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = d.XLow, d.XHigh, d.YLow, d.YHigh
	return p, nil
}
