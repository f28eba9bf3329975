package chart

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// LogLog is a figure of measurements over sizes, both on logarithmic axes, where
// a power of the size is a straight line.
type LogLog struct {
	Name, Title, Caption string
	X, Y                 string // labels of the axes, with units
	Lines                []LogLine
	Guides               []Guide
}

// LogLine is a line of measurements: Y[i] at the size X[i], all positive.
type LogLine struct {
	Name string
	X, Y []float64
}

// Guide is a thin line of what theory expects, y = Y·(x/X)^Power: it goes through
// the point (X, Y).
type Guide struct {
	Name        string
	Power, X, Y float64
}

// lineColours distinguish the measured lines.
var lineColours = []color.NRGBA{canvas.Blue, canvas.Vermillion, canvas.Green}

// guideDashes distinguish the guides, in units of the style.
var guideDashes = [][]float64{{5, 2}, {1.2, 1.8}, {5, 2, 1.2, 2}}

func (l LogLog) check() error {
	var errs []error
	if len(l.Lines) == 0 || len(l.Lines) > len(lineColours) || len(l.Guides) > len(guideDashes) {
		errs = append(errs, fmt.Errorf("%s: want 1 to %d lines and at most %d guides", l.Title, len(lineColours), len(guideDashes)))
	}
	for _, line := range l.Lines {
		if len(line.X) == 0 || len(line.X) != len(line.Y) {
			errs = append(errs, fmt.Errorf("%s: %d sizes and %d numbers", line.Name, len(line.X), len(line.Y)))
			continue
		}
		for i, x := range line.X {
			if y := line.Y[i]; !positive(x) || !positive(y) {
				errs = append(errs, fmt.Errorf("%s: %g at %g cannot stand on logarithmic axes", line.Name, y, x))
			}
		}
	}
	for _, g := range l.Guides {
		if !positive(g.X) || !positive(g.Y) {
			errs = append(errs, fmt.Errorf("%s: no line through (%g, %g) on logarithmic axes", g.Name, g.X, g.Y))
		}
	}
	return errors.Join(errs...)
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }

// Figure returns the figure.
func (l LogLog) Figure() (canvas.Figure, error) {
	if err := l.check(); err != nil {
		return canvas.Figure{}, err
	}
	f := canvas.Figure{Name: format.FileName(l.Name), Title: l.Title, Caption: l.Caption, Size: canvas.Tall}
	f.Panels = func(s canvas.Style) []*plot.Plot {
		return []*plot.Plot{l.draw(s)}
	}
	for i, line := range l.Lines {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: line.Name, Line: func(s canvas.Style) draw.LineStyle { return s.Line(1.5, lineColours[i]) }})
	}
	for i, g := range l.Guides {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: g.Name, Line: func(s canvas.Style) draw.LineStyle { return s.Line(0.8, canvas.Faint, guideDashes[i]...) }})
	}
	return f, nil
}

func (l LogLog) draw(s canvas.Style) *plot.Plot {
	p := s.Panel("", l.X, l.Y)
	p.Add(s.Net(true, true))
	for i, line := range l.Lines {
		points := make(plotter.XYs, len(line.X))
		for k := range points {
			points[k] = plotter.XY{X: line.X[k], Y: line.Y[k]}
		}
		points = canvas.Logs(points, true)
		drawn := canvas.Curve(points, s.Line(1.5, lineColours[i]))
		p.Add(drawn, canvas.Dots(s, points, drawn.LineStyle))
	}
	const marginX, marginY = 0.05, 0.12 // around the points, in powers of ten
	p.X.Min, p.X.Max = p.X.Min-marginX, p.X.Max+marginX
	p.Y.Min, p.Y.Max = p.Y.Min-marginY, p.Y.Max+marginY
	for i, g := range l.Guides {
		p.Add(guideline{g, s.Line(0.8, canvas.Faint, guideDashes[i]...)})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = sizeTicks(l.Lines), canvas.DecadeTicks{}
	return p
}

// guideline draws a guide across the panel, cut at its edges.
type guideline struct {
	Guide
	line draw.LineStyle
}

// Plot implements plot.Plotter.
func (g guideline) Plot(c draw.Canvas, p *plot.Plot) {
	xs, ys := p.Transforms(&c)
	x, y := math.Log10(g.X), math.Log10(g.Y)
	at := func(t float64) float64 { return y + g.Power*(t-x) }
	from, to := p.X.Min, p.X.Max
	if g.Power != 0 { // where the line enters and leaves through bottom and top
		bottom, top := x+(p.Y.Min-y)/g.Power, x+(p.Y.Max-y)/g.Power
		from, to = max(from, min(bottom, top)), min(to, max(bottom, top))
	}
	if from < to && at(from) >= p.Y.Min-1e-9 && at(from) <= p.Y.Max+1e-9 {
		c.StrokeLine2(g.line, xs(from), ys(at(from)), xs(to), ys(at(to)))
	}
}
