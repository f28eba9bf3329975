package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
	"imdbexp/report/tables"
)

// trendPanels are those of the numbers that any line has; numbers of one kind, such as
// accuracies, have one axis, so that they compare, unless the values of one would be flat on
// it.
func trendPanels(lines []trendLine, x string, ys []tables.Number, classes int) (panels []trendPanel, oneAxis bool) {
	for i, y := range ys {
		p := trendPanel{x: x, y: y}
		for k, l := range lines {
			if points := l.points[i]; len(points) > 0 {
				p.lines = append(p.lines, drawnLine{l.name, points, k})
			}
		}
		switch kindOf(y) {
		case "acc":
			p.scale = accuracyScale(classes)
		case "loss":
			p.scale = lossScale(classes)
		}
		if len(p.lines) > 0 {
			panels = append(panels, p)
		}
	}
	kinds := map[string][]ends{}
	for _, p := range panels {
		_, up := p.extent()
		kinds[kindOf(p.y)] = append(kinds[kindOf(p.y)], up)
	}
	oneAxis = true
	for i := range panels {
		p := &panels[i]
		p.titled = len(panels) > 1
		var serves bool
		if p.axis, serves = p.scale.joint(kinds[kindOf(p.y)]); !serves {
			_, up := p.extent()
			p.axis, oneAxis = p.scale.axis(up), false
		}
	}
	return panels, oneAxis
}

// kindOf is what a number is, of whichever split: acc, loss, entropy.
func kindOf(y tables.Number) string { return y.Name[strings.LastIndex(y.Name, "_")+1:] }

// some returns about a dozen of many points, so that marks tell lines apart and hide none.
func some(points plotter.XYs) plotter.XYs {
	const marked = 12
	if len(points) <= 2*marked {
		return points
	}
	var out plotter.XYs
	for i := 0; i < len(points); i += len(points) / marked {
		out = append(out, points[i])
	}
	return out
}

// drawnLine is a line of one panel.
type drawnLine struct {
	name   string
	points []trendPoint
	series int // its colour and mark, those of its legend
}

type trendPanel struct {
	lines  []drawnLine
	x      string
	y      tables.Number
	scale  scale
	axis   ends
	titled bool // it says what it shows, which the figure's title does of one alone
}

// extent returns how far the lines reach along x, as it is, and with their bands along y.
func (tp trendPanel) extent() (across, up ends) {
	across, up = ends{math.Inf(1), math.Inf(-1)}, ends{math.Inf(1), math.Inf(-1)}
	for _, l := range tp.lines {
		for _, at := range l.points {
			across, up = across.with(ends{at.x, at.x}), up.with(ends{at.mean - at.sd, at.mean + at.sd})
		}
	}
	return across, up
}

// logarithmic reports whether the axis counts powers: where the values span decades.
func (tp trendPanel) logarithmic() bool {
	across, _ := tp.extent()
	return tp.x != overEpochs && across.low > 0 && across.high/across.low >= 8
}

// Draw draws the panel.
func (tp trendPanel) Draw(s canvas.Style) (*plot.Plot, error) {
	place, label := func(x float64) float64 { return x }, tp.x
	logarithmic := tp.logarithmic()
	if logarithmic {
		place, label = math.Log10, tp.x+" (logarithmic)"
	}
	title := ""
	if tp.titled {
		title = tp.y.Title
	}
	p := s.Panel(title, label, fmt.Sprintf("%s (%s)", strings.ToLower(tp.y.Title), tp.y.Unit))
	p.Add(s.Net(false, true), canvas.Headroom{})
	level := tp.scale.line(s)
	if tp.scale.chance > 0 {
		p.Add(&level)
	}
	across, _ := tp.extent()
	across = ends{place(across.low), place(across.high)}
	for _, l := range tp.lines {
		var points, upper, lower plotter.XYs
		for _, at := range l.points {
			x := place(at.x)
			points = append(points, plotter.XY{X: x, Y: at.mean})
			upper, lower = append(upper, plotter.XY{X: x, Y: at.mean + at.sd}), append(lower, plotter.XY{X: x, Y: at.mean - at.sd})
		}
		slices.Reverse(lower)
		band, err := plotter.NewPolygon(append(upper, lower...))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		band.Color, band.LineStyle = canvas.Translucent(canvas.Series[l.series]), draw.LineStyle{}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		line.LineStyle = s.Line(1.3, canvas.Series[l.series])
		marks := canvas.Dots(s, some(points), line.LineStyle)
		marks.Shape = canvas.Shapes[l.series]
		p.Add(band, line, marks)
		level.Around = append(level.Around, points)
	}
	margin := max(0.03*across.span(), 1e-9)
	p.X.Min, p.X.Max = across.low-margin, across.high+margin
	switch {
	case logarithmic:
		p.X.Tick.Marker = canvas.DecadeTicks{}
	case tp.x == overEpochs:
		p.X.Tick.Marker = canvas.WholeTicks(canvas.EpochTicks(int(across.low), int(across.high), 6), 1)
	}
	p.Y.Min, p.Y.Max = tp.axis.low, tp.axis.high
	return p, nil
}
