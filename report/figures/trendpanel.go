package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

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
		if _, up := p.extent(); kindOf(p.y) == "norm" && up.low > 0 && up.high > wide*up.low {
			p.log, p.titled, p.axis = true, true, ends{math.Log10(up.low), math.Log10(up.high)}.roomy()
			continue
		}
		p.titled = len(panels) > 1
		var serves bool
		if p.axis, serves = p.scale.joint(kinds[kindOf(p.y)]); !serves {
			_, up := p.extent()
			p.axis, oneAxis = p.scale.axis(up), false
		}
	}
	return panels, oneAxis
}

// kindOf returns the kind of a number without its split: acc, loss, entropy.
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
	series int // index of its colour and mark
}

// spread draws one standard deviation about the points that have one: a band along those
// that follow each other, a bar at one that stands alone. One seed has none, and a band that
// narrowed towards it would say that it is sure.
func (l drawnLine) spread(p *plot.Plot, s canvas.Style, points plotter.XYs) {
	for from := 0; from < len(points); {
		to := from
		for to < len(points) && l.points[to].seeds > 1 {
			to++
		}
		switch to - from {
		case 0:
		case 1:
			l.bar(p, s, points, from)
		default:
			l.band(p, points, from, to)
		}
		from = to + 1
	}
}

func (l drawnLine) band(p *plot.Plot, points plotter.XYs, from, to int) {
	var upper, lower plotter.XYs
	for i := from; i < to; i++ {
		at, sd := points[i], l.points[i].sd
		upper, lower = append(upper, plotter.XY{X: at.X, Y: at.Y + sd}), append(lower, plotter.XY{X: at.X, Y: at.Y - sd})
	}
	slices.Reverse(lower)
	p.Add(canvas.Area(append(upper, lower...), canvas.Translucent(canvas.Series[l.series])))
}

func (l drawnLine) bar(p *plot.Plot, s canvas.Style, points plotter.XYs, i int) {
	sd := l.points[i].sd
	at := canvas.ErrorPoints{XYs: points[i : i+1], YErrors: plotter.YErrors{{Low: -sd, High: sd}}}
	p.Add(canvas.Bars(at, s.Line(0.8, canvas.Series[l.series]), 3*s.Unit))
}

type trendPanel struct {
	lines  []drawnLine
	x      string
	y      tables.Number
	scale  scale
	axis   ends
	titled bool // the panel has a title; a single panel uses the figure's
	log    bool // the y axis is logarithmic
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
func (tp trendPanel) Draw(s canvas.Style) *plot.Plot {
	place, label := func(x float64) float64 { return x }, tp.x
	logarithmic := tp.logarithmic()
	if logarithmic {
		place, label = math.Log10, tp.x+" (logarithmic)"
	}
	title := ""
	if tp.titled {
		title = tp.y.Title
	}
	p := s.Panel(title, label, strings.TrimSuffix(fmt.Sprintf("%s (%s)", strings.ToLower(tp.y.Title), tp.y.Unit), " ()"))
	p.Add(s.Net(false, true), canvas.Headroom{})
	level := tp.scale.line(s)
	if tp.scale.chance > 0 {
		p.Add(&level)
	}
	across, _ := tp.extent()
	across = ends{place(across.low), place(across.high)}
	for _, l := range tp.lines {
		var points plotter.XYs
		for _, at := range l.points {
			points = append(points, plotter.XY{X: place(at.x), Y: at.mean})
		}
		if tp.log {
			points = canvas.Logs(points, false)
		}
		l.spread(p, s, points)
		line := canvas.Curve(points, s.Line(1.3, canvas.Series[l.series]))
		marks := canvas.Dots(s, some(points), line.LineStyle)
		marks.Shape = canvas.Shapes[l.series]
		p.Add(line, marks)
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
	if tp.log {
		p.Y.Tick.Marker = canvas.DecadeTicks{}
	}
	p.Y.Min, p.Y.Max = tp.axis.low, tp.axis.high
	return p
}
