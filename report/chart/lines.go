package chart

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// Lines is a figure of panels side by side, each with lines. A name has the same colour in
// all panels. If lines overlap, later ones are thinner, which keeps all of them visible.
type Lines struct {
	Name, Title, Caption string
	Panels               []LinePanel
}

// LinePanel is one panel; its y axis goes from Low to High.
type LinePanel struct {
	Title, X, Y string
	Low, High   float64
	Lines       []Line
}

// Line goes through the points (X[i], Y[i]), at least two.
type Line struct {
	Name string
	X, Y []float64
}

var manyColours = [MaxGroups]color.NRGBA{canvas.Sky, canvas.Vermillion, canvas.Green, canvas.Ink, canvas.Blue, canvas.Orange}

// Figure returns the figure.
func (l Lines) Figure() (canvas.Figure, error) {
	f := canvas.Figure{Name: format.FileName(l.Name), Title: l.Title, Caption: l.Caption, Size: canvas.Page}
	var names []string
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			if len(line.X) < 2 || len(line.X) != len(line.Y) || slices.ContainsFunc(slices.Concat(line.X, line.Y), func(v float64) bool { return !(v >= -canvas.DrawableMax && v <= canvas.DrawableMax) }) {
				return f, fmt.Errorf("%s, %s: want two points or more that can be drawn", p.Title, line.Name)
			}
			if !slices.Contains(names, line.Name) {
				names = append(names, line.Name)
			}
		}
	}
	if len(names) == 0 || len(names) > len(manyColours) {
		return f, fmt.Errorf("%s: %d lines; want 1 to %d", l.Title, len(names), len(manyColours))
	}
	for i, name := range names {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: name, Line: func(s canvas.Style) draw.LineStyle { return s.Line(1.6, manyColours[i]) }})
	}
	f.Panels = func(s canvas.Style) []*plot.Plot {
		var out []*plot.Plot
		for _, panel := range l.Panels {
			out = append(out, panel.draw(s, names))
		}
		return out
	}
	return f, nil
}

func (l LinePanel) draw(s canvas.Style, names []string) *plot.Plot {
	p := s.Panel(l.Title, l.X, l.Y)
	p.Add(s.Net(false, true))
	for i, line := range l.Lines {
		points := make(plotter.XYs, len(line.X))
		for k := range points {
			points[k] = plotter.XY{X: line.X[k], Y: line.Y[k]}
		}
		width := 0.9 + 0.6*float64(len(l.Lines)-1-i)
		p.Add(canvas.Curve(points, s.Line(width, manyColours[slices.Index(names, line.Name)])))
	}
	p.Y.Min, p.Y.Max = l.Low, l.High
	return p
}
