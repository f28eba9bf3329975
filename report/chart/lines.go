package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

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

// Axis is one axis of a panel. A logarithmic one is an axis of logarithms with ticks that name the
// numbers, because plot.LogScale places the axis's name as if that stood at the middle of the numbers.
type Axis struct {
	Low, High float64   // ends; if equal, the lines' ends with a margin
	Margin    float64   // then: share of the span at both ends
	Min       float64   // then: its span, at least
	Log       bool      // with At
	At        []float64 // values with ticks, rising; nil: round ones
}

// Line goes through the points (X[i], Y[i]), with a dot at each. A name has the same look in all panels.
type Line struct {
	Name   string // in the legend
	X, Y   []float64
	Ends   [][2]float64 // low and high of intervals around Y, NaN for none; nil: no intervals
	Chance bool         // grey: not chosen but random
}

var usualColours = []color.NRGBA{canvas.Sky, canvas.Vermillion, canvas.Green, canvas.Ink, canvas.Blue, canvas.Orange}

// place returns where a number is on the axis, NaN for one that it cannot have.
func (a Axis) place(v float64) float64 {
	switch {
	case math.Abs(v) > canvas.DrawableMax || a.Log && v <= 0:
		return math.NaN()
	case a.Log:
		return math.Log10(v)
	}
	return v
}

// Figure returns the figure.
func (l Lines) Figure() (canvas.Figure, error) {
	f := canvas.Figure{Name: format.FileName(l.Name), Title: l.Title, Caption: l.Caption, Size: canvas.Page}
	var names []string
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			if !slices.Contains(names, line.Name) {
				f.Legend = append(f.Legend, canvas.LegendEntry{Name: line.Name, Line: line.look(l.Colours, len(names)), Shape: shape(len(names))})
				names = append(names, line.Name)
			}
		}
	}
	if names == nil {
		return f, fmt.Errorf("%s: no lines", l.Title)
	}
	f.Panels = func(s canvas.Style) (out []*plot.Plot) {
		for _, p := range l.Panels {
			out = append(out, p.draw(s, l.Colours, names))
		}
		return out
	}
	return f, nil
}

// look returns the style of a line of the i-th name.
func (line Line) look(colours []color.NRGBA, i int) func(canvas.Style) draw.LineStyle {
	if colours == nil {
		colours = usualColours
	}
	return func(s canvas.Style) draw.LineStyle {
		if line.Chance {
			return s.Line(1.2, canvas.Faint, 2, 1.6)
		}
		return s.Line(1.4, colours[i%len(colours)])
	}
}

// shape returns the shape of the dots of the i-th name.
func shape(i int) draw.GlyphDrawer { return canvas.Shapes[i%len(canvas.Shapes)] }

func (lp Panel) draw(s canvas.Style, colours []color.NRGBA, names []string) *plot.Plot {
	p := s.Panel(lp.Title, lp.X, lp.Y)
	p.Add(s.Net(false, true))
	for _, line := range lp.Lines {
		name, points := slices.Index(names, line.Name), line.points(lp)
		look := line.look(colours, name)(s)
		if line.Ends != nil {
			p.Add(canvas.Bars(points, s.Line(0.7, look.Color), 2.5*s.Unit))
		}
		p.Add(canvas.Curve(points, look))
		dots := canvas.Dots(s, points.XYs, look)
		dots.Shape = shape(name)
		p.Add(dots)
	}
	lp.XAxis.set(&p.X)
	lp.YAxis.set(&p.Y)
	return p
}

// points returns the points of the line that the panel's axes can place.
func (line Line) points(p Panel) (out canvas.ErrorPoints) {
	for i := range line.X {
		at := plotter.XY{X: p.XAxis.place(line.X[i]), Y: p.YAxis.place(line.Y[i])}
		if math.IsNaN(at.X + at.Y) {
			continue
		}
		y := line.Y[i]
		low, high := y, y
		if line.Ends != nil && line.Ends[i] == line.Ends[i] { // not NaN
			low, high = line.Ends[i][0], line.Ends[i][1]
		}
		out.XYs = append(out.XYs, at)
		out.YErrors = append(out.YErrors, struct{ Low, High float64 }{low - y, high - y})
	}
	return out
}

// set sets the ends and ticks of an axis that fits the lines. On a logarithmic one named values have a distance
// in powers of ten.
func (a Axis) set(axis *plot.Axis) {
	const gap = 0.11
	if a.Low != a.High {
		axis.Min, axis.Max = a.place(a.Low), a.place(a.High)
	} else {
		span := axis.Max - axis.Min
		margin := max(a.Margin*span, (a.Min-span)/2)
		if span == 0 && margin == 0 {
			margin = 1e-3
		}
		axis.Min, axis.Max = axis.Min-margin, axis.Max+margin
	}
	var ticks plot.ConstantTicks
	named := math.Inf(-1)
	for i, v := range a.At {
		tick := plot.Tick{Value: a.place(v), Label: strconv.FormatFloat(v, 'g', 6, 64)}
		inner := a.Log && i > 0 && i < len(a.At)-1
		if inner && (tick.Value < named+gap || a.place(a.At[i+1]) < tick.Value+gap) {
			tick.Label = "" // no room behind the one before, or before the next
		} else {
			named = tick.Value
		}
		ticks = append(ticks, tick)
	}
	if ticks != nil {
		axis.Tick.Marker = ticks
	}
}
