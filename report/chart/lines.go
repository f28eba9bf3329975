package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// Lines is a figure of panels side by side with lines or dots.
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
	Marks        []float64 // values of x with an upright line across the panel
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

// Line goes through the points (X[i], Y[i]). A name has the same look in all panels. If lines without
// dots overlap, later ones are thinner, which keeps all of them visible.
type Line struct {
	Name   string // in the legend
	X, Y   []float64
	Ends   [][2]float64 // low and high of intervals around Y, NaN for none; nil: no intervals
	Dots   bool         // with a dot at each point
	Chance bool         // grey: not chosen but random
	cloud  bool         // see Panel.Cloud
}

// MaxNames is the number of lines, or groups of dots, that can be distinguished by colour.
const MaxNames = 6

var usualColours = []color.NRGBA{canvas.Sky, canvas.Vermillion, canvas.Green, canvas.Ink, canvas.Blue, canvas.Orange}

// Cloud returns the panel with dots alone. The title is their name and their number of things; each
// thing has several dots.
func (p Panel) Cloud(name string, x, y []float64, each int) Panel {
	p.Title = fmt.Sprintf("%s (%d)", name, len(x)/each)
	p.Lines = []Line{{Name: name, X: x, Y: y, cloud: true}}
	return p
}

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
	dotted := func(p Panel) bool { return len(p.Lines) > 0 && p.Lines[0].Dots } // shapes distinguish more
	var names []string
	for _, p := range l.Panels {
		for i, line := range p.Lines {
			if slices.Contains(names, line.Name) {
				continue
			}
			names = append(names, line.Name)
			if look := line.look(l.Colours, len(names)-1, len(p.Lines)-1-i, true); !line.cloud {
				f.Legend = append(f.Legend, canvas.LegendEntry{Name: line.Name, Line: look, Shape: line.shape(len(names) - 1)})
			}
		}
	}
	if n := len(names); n < 1 || n > MaxNames && !slices.ContainsFunc(l.Panels, dotted) {
		return f, fmt.Errorf("%s: %d lines; want 1 to %d", l.Title, n, MaxNames)
	}
	f.Panels = func(s canvas.Style) (out []*plot.Plot) {
		for _, p := range l.Panels {
			out = append(out, p.draw(s, l.Colours, names))
		}
		return out
	}
	return f, nil
}

// look returns the style of a line of the i-th name, which may cover that many lines before it in its panel.
func (line Line) look(colours []color.NRGBA, i, above int, legend bool) func(canvas.Style) draw.LineStyle {
	if colours == nil {
		colours = usualColours
	}
	width := 0.9 + 0.6*float64(above)
	switch {
	case line.Dots:
		width = 1.4
	case legend:
		width = 1.6
	}
	return func(s canvas.Style) draw.LineStyle {
		if line.Chance {
			return s.Line(1.2, canvas.Faint, 2, 1.6)
		}
		return s.Line(width, colours[i%len(colours)])
	}
}

// shape returns the shape of the dots of a line of the i-th name, nil without.
func (line Line) shape(i int) draw.GlyphDrawer {
	if !line.Dots {
		return nil
	}
	return canvas.Shapes[i%len(canvas.Shapes)]
}

func (lp Panel) draw(s canvas.Style, colours []color.NRGBA, names []string) *plot.Plot {
	p := s.Panel(lp.Title, lp.X, lp.Y)
	p.Add(s.Net(len(lp.Lines) > 0 && lp.Lines[0].cloud, true))
	for i, line := range lp.Lines {
		name, points := slices.Index(names, line.Name), line.points(lp)
		look := line.look(colours, name, len(lp.Lines)-1-i, false)(s)
		if line.cloud {
			p.Add(cloudOf(s, points.XYs, look))
			continue
		}
		if line.Ends != nil {
			p.Add(canvas.Bars(points, s.Line(0.7, look.Color), 2.5*s.Unit))
		}
		p.Add(canvas.Curve(points, look))
		if line.Dots {
			dots := canvas.Dots(s, points.XYs, look)
			dots.Shape = line.shape(name)
			p.Add(dots)
		}
	}
	lp.XAxis.set(&p.X)
	lp.YAxis.set(&p.Y)
	for _, m := range lp.Marks {
		if at := lp.XAxis.place(m); at >= p.X.Min && at <= p.X.Max {
			p.Add(canvas.Curve(plotter.XYs{{X: at, Y: p.Y.Min}, {X: at, Y: p.Y.Max}}, s.Line(0.9, canvas.Ink, 3, 2)))
		}
	}
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

// cloudOf draws dots, up to 40 larger, and more darker where many lie.
func cloudOf(s canvas.Style, points plotter.XYs, look draw.LineStyle) *plotter.Scatter {
	radius := vg.Length(2.5)
	if len(points) > 40 {
		colour := look.Color.(color.NRGBA)
		colour.A, radius = 110, 1.1
		look.Color = colour
	}
	dots := canvas.Dots(s, points, look)
	dots.Radius = radius * s.Unit
	return dots
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
