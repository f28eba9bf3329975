package chart

import (
	"fmt"
	"image/color"
	"math"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// Lines is a figure of panels side by side with lines.
type Lines struct {
	Name, Title, Caption string
	Panels               []Panel
	Colours              []color.NRGBA // of the names, in order; nil: the usual ones
}

// Panel is one panel.
type Panel struct {
	Title        string
	X, Y         string // labels of the axes, with units
	XAxis, YAxis Axis
	Lines        []Line
}

// Axis is one axis of a panel.
type Axis struct {
	Low, High float64   // ends; if equal, those of the lines
	Margin    float64   // of x: share of the span at both ends
	Min       float64   // of y: its span, at least
	Log       bool      // of x
	At        []float64 // values of x with ticks, rising; nil: round ones
}

// Line goes through the points (X[i], Y[i]), with a dot at each. A name has the same look in all panels.
type Line struct {
	Name   string // in the legend
	X, Y   []float64
	Ends   [][2]float64 // low and high of intervals around Y, NaN for none; nil: no intervals
	Chance bool         // grey: not chosen but random
}

var usualColours = []color.NRGBA{canvas.Sky, canvas.Vermillion, canvas.Green, canvas.Ink, canvas.Blue, canvas.Orange}

// Figure returns the figure.
func (l Lines) Figure() (canvas.Figure, error) {
	f := canvas.Figure{Name: format.FileName(l.Name), Title: l.Title, Caption: l.Caption, Size: canvas.Page}
	colours := l.Colours
	if colours == nil {
		colours = usualColours
	}
	number := map[string]int{} // of each name
	var panels []LinePanel
	for _, p := range l.Panels {
		lp := LinePanel{Title: p.Title, X: p.X, Y: p.Y, Margin: p.XAxis.Margin, Log: p.XAxis.Log, Scale: Scale{Least: p.YAxis.Min}}
		if a := p.XAxis; a.Low != a.High {
			lp.XEnds = Ends{a.Low, a.High}
		}
		if a := p.YAxis; a.Low != a.High {
			lp.YEnds = Ends{a.Low, a.High}
		}
		if p.XAxis.At != nil {
			lp.Ticks = ValueTicks(p.XAxis.At, p.XAxis.Log, len(l.Panels))
		}
		for _, line := range p.Lines {
			i, known := number[line.Name]
			if !known {
				i = len(number)
				number[line.Name] = i
			}
			c := Curve{Name: line.Name, Bars: true, Look: Look(1.4, colours[i%len(colours)]), Shape: canvas.Shapes[i%len(canvas.Shapes)]}
			if line.Chance {
				c.Look = Look(1.2, canvas.Faint, 2, 1.6)
			}
			if lp.Curves = append(lp.Curves, line.along(c, p.XAxis.Log)); !known {
				f.Legend = append(f.Legend, c.Legend())
			}
		}
		panels = append(panels, lp)
	}
	if len(number) == 0 {
		return f, fmt.Errorf("%s: no lines", l.Title)
	}
	f.Panels = canvas.Panels(panels)
	return f, nil
}

// along returns the curve with the line's points that the axes can place.
func (line Line) along(c Curve, log bool) Curve {
	for i, x := range line.X {
		at := Point{X: x, Y: line.Y[i], Low: math.NaN()}
		if line.Ends != nil {
			at.Low, at.High = line.Ends[i][0], line.Ends[i][1]
		}
		if math.Abs(x) <= canvas.DrawableMax && (!log || x > 0) {
			c.Points = append(c.Points, at)
		}
	}
	c.Points = Drawable(c.Points)
	return c
}
