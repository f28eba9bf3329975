package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// Sweep is a figure of the loss over a learning rate that rises from step to step
// (Smith 2017).
type Sweep struct {
	Name, Title string
	X, Y        []float64 // learning rates, rising, and losses in nats
	Suggested   float64   // rate that is marked; 0 for none
	Set         float64   // rate that the run has; 0 for none
}

// Figure returns the figure. It needs two points at least, at rates above zero.
func (s Sweep) Figure() (canvas.Figure, error) {
	if len(s.X) < 2 || len(s.X) != len(s.Y) {
		return canvas.Figure{}, fmt.Errorf("%s: %d rates and %d losses; at least two of each are needed", s.Title, len(s.X), len(s.Y))
	}
	for i, x := range s.X {
		if !positive(x) || math.IsNaN(s.Y[i]) || math.IsInf(s.Y[i], 0) {
			return canvas.Figure{}, fmt.Errorf("%s: loss %g at a rate of %g cannot be drawn", s.Title, s.Y[i], x)
		}
	}
	f := canvas.Figure{Name: format.FileName(s.Name), Title: s.Title, Size: canvas.Page}
	f.Panels = func(st canvas.Style) []*plot.Plot {
		return []*plot.Plot{s.draw(st)}
	}
	f.Legend = append(f.Legend, canvas.LegendEntry{Name: "loss", Line: func(st canvas.Style) draw.LineStyle { return st.Line(1.5, canvas.Blue) }})
	for _, m := range s.marks() {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: m.name, Line: m.line})
	}
	return f, nil
}

// sweepMark is a rate marked by a line.
type sweepMark struct {
	name string
	at   float64
	line func(canvas.Style) draw.LineStyle
}

func (s Sweep) marks() []sweepMark {
	var out []sweepMark
	if positive(s.Suggested) {
		out = append(out, sweepMark{fmt.Sprintf("suggested, %.2g", s.Suggested), s.Suggested,
			func(st canvas.Style) draw.LineStyle { return st.Line(1.1, canvas.Vermillion, 4, 2) }})
	}
	if positive(s.Set) {
		out = append(out, sweepMark{fmt.Sprintf("set, %.2g", s.Set), s.Set,
			func(st canvas.Style) draw.LineStyle { return st.Line(0.8, canvas.Faint, 1.2, 1.8) }})
	}
	return out
}

func (s Sweep) draw(st canvas.Style) *plot.Plot {
	p := st.Panel("", "learning rate", "loss (nats)")
	net := st.Net(true, true)
	points, top := s.points()
	curve := canvas.Curve(points, st.Line(1.5, canvas.Blue))
	p.Add(net, curve)
	p.X.Min, p.X.Max = math.Log10(s.X[0]), math.Log10(s.X[len(s.X)-1])
	low := p.Y.Min
	if short := canvas.LeastLoss - (top - low); short > 0 {
		low, top = max(0, low-short/2), top+short/2
	}
	p.Y.Min, p.Y.Max = low-0.05*(top-low), top
	for _, m := range s.marks() {
		if at := math.Log10(m.at); at >= p.X.Min && at <= p.X.Max {
			p.Add(canvas.Curve(plotter.XYs{{X: at, Y: p.Y.Min}, {X: at, Y: p.Y.Max}}, m.line(st)))
		}
	}
	p.X.Tick.Marker = canvas.DecadeTicks{}
	return p
}

// points returns the drawn part of the curve and the upper end of its axis. A loss that
// diverges leaves the panel, because it would flatten the rest of the curve.
func (s Sweep) points() (points plotter.XYs, top float64) {
	low, first := s.Y[0], s.Y[0]
	for _, y := range s.Y {
		low = min(low, y)
	}
	top = first + max(first-low, 0.05*math.Abs(first), 1e-6)
	for i, x := range s.X {
		if s.Y[i] > top && i > 0 { // where the line crosses the edge
			x0, y0 := math.Log10(s.X[i-1]), s.Y[i-1]
			share := (top - y0) / (s.Y[i] - y0)
			return append(points, plotter.XY{X: x0 + share*(math.Log10(x)-x0), Y: top}), top
		}
		points = append(points, plotter.XY{X: math.Log10(x), Y: s.Y[i]})
	}
	return points, top
}
