package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
)

// point is a number at x, the mean over some seeds, with the ends of its interval or deviation.
type point struct {
	x, y, low, high float64
	seeds           int // or divisions of the reviews; 1: without ends
}

// line goes through points that can be drawn.
type line struct {
	name   string
	points []point
	raw    []point // drawn faint behind a smoothed line
	look   func(canvas.Style) draw.LineStyle
	shape  draw.GlyphDrawer // of its marks; nil: only a line of one point has one
	bars   bool             // a bar for each point, not a band
}

// seriesLine returns the i-th line of several settings: its colour and marks follow from i.
func seriesLine(name string, i int, points []point) line {
	i %= len(canvas.Series)
	look := func(s canvas.Style) draw.LineStyle { return s.Line(1.3, canvas.Series[i]) }
	return line{name: name, points: points, look: look, shape: canvas.Shapes[i]}
}

func (l line) legend() canvas.LegendEntry {
	return canvas.LegendEntry{Name: l.name, Line: l.look, Shape: l.shape}
}

// linePanel is a panel of lines over the epochs, a setting, or the length of reviews.
type linePanel struct {
	title, x, y string // labels
	lines       []line
	others      []line // drawn behind without marks; all panels of a figure get the same axes by them
	spots       []spot
	chosen      int // epoch that counts, marked when it is not the last; 0: none
	scale       scale
	axis        ends // of y; zero: the scale's
	epochs      bool // x counts epochs
	log, logY   bool
	margin      bool // at the ends of the x axis, for the marks
	ticks       plot.Ticker
}

// spot is a published number, drawn as a dot.
type spot struct {
	look func(canvas.Style) draw.LineStyle
	x, y float64
}

func drawable(list []point) []point {
	return slices.DeleteFunc(list, func(p point) bool { return !(math.Abs(p.y) <= canvas.DrawableMax) })
}

// extent returns how far the lines reach along x, and with their intervals along y.
func (lp linePanel) extent() (across, up ends) {
	across, up = ends{math.Inf(1), math.Inf(-1)}, ends{math.Inf(1), math.Inf(-1)}
	for _, s := range lp.spots {
		across, up = across.with(ends{s.x, s.x}), up.with(ends{s.y, s.y})
	}
	for _, l := range slices.Concat(lp.lines, lp.others) {
		for _, p := range slices.Concat(l.points, l.raw) {
			across, up = across.with(ends{p.x, p.x}), up.with(ends{p.y, p.y})
			if p.seeds > 1 || l.bars {
				up = up.with(ends{p.low, p.high})
			}
		}
	}
	return across, up
}

// Draw implements canvas.Panel. The y axis spans the values, not zero, see scale: a loss curve
// that starts at ln 2 and ends at 0.4 needs all of the height.
func (lp linePanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(lp.title, lp.x, lp.y)
	p.Add(s.Net(false, true), canvas.Headroom{})
	level := canvas.Level{Y: lp.scale.chance, Label: lp.scale.named, Line: s.Line(0.7, canvas.Faint, 1, 2), Text: s.Text(6.5, canvas.Faint)}
	if lp.scale.chance > 0 {
		p.Add(&level)
	}
	for _, l := range lp.others {
		p.Add(canvas.Curve(lp.place(l.points), s.Line(0.8, canvas.Hairline)))
	}
	for _, l := range lp.lines { // behind all lines
		if l.raw == nil {
			lp.spread(p, s, l, l.points)
			continue
		}
		lp.spread(p, s, l, l.raw)
		faint := canvas.Translucent(l.look(s).Color)
		faint.A *= 2 // it may lie on the band of the seeds
		p.Add(canvas.Curve(lp.place(l.raw), s.Line(0.9, faint)))
	}
	for _, l := range lp.lines {
		points := lp.place(l.points)
		if len(points) == 0 {
			continue
		}
		p.Add(canvas.Curve(points, l.look(s)))
		level.Around = append(level.Around, points)
		for i, at := range l.points {
			if l.bars {
				level.Around = append(level.Around, plotter.XYs{{X: points[i].X, Y: at.low}, {X: points[i].X, Y: at.high}})
			}
		}
		if l.shape != nil || len(points) == 1 { // a line of one point is invisible
			marks := canvas.Dots(s, some(points), l.look(s))
			if l.shape != nil {
				marks.Shape = l.shape
			}
			p.Add(marks)
		}
	}
	for _, sp := range lp.spots {
		dot := lp.place([]point{{x: sp.x, y: sp.y}})
		p.Add(canvas.Dots(s, dot, sp.look(s)))
		level.Around = append(level.Around, dot)
	}
	lp.axes(p, s)
	return p
}

// axes sets the ends and ticks of the axes, and marks the chosen epoch.
func (lp linePanel) axes(p *plot.Plot, s canvas.Style) {
	across, up := lp.extent()
	if lp.chosen > 0 && float64(lp.chosen) < across.high {
		p.Add(canvas.Upright{X: float64(lp.chosen), Label: "chosen", Line: s.Line(0.7, canvas.Faint, 2, 2), Text: s.Text(6.5, canvas.Faint)})
	}
	if lp.log {
		across = ends{math.Log10(across.low), math.Log10(across.high)}
	}
	margin := 0.0
	if lp.margin {
		margin = max(0.03*across.span(), 1e-9)
	}
	if across.span() == 0 { // one epoch or length: in the middle
		margin = 1
	}
	p.X.Min, p.X.Max = across.low-margin, across.high+margin
	switch {
	case lp.ticks != nil:
		p.X.Tick.Marker = lp.ticks
	case lp.log:
		p.X.Tick.Marker = canvas.DecadeTicks{}
	case lp.epochs:
		p.X.Tick.Marker = canvas.WholeTicks(canvas.EpochTicks(int(across.low), int(across.high), 6), 1)
	}
	axis := lp.axis
	switch {
	case lp.logY:
		axis = ends{math.Log10(up.low), math.Log10(up.high)}.roomy()
		p.Y.Tick.Marker = canvas.DecadeTicks{}
	case axis == (ends{}):
		axis = lp.scale.axis(up)
	}
	p.Y.Min, p.Y.Max = axis.low, axis.high
}

// fewValues is up to how many values of a setting each has a tick.
const fewValues = 8

// valueTicks returns ticks at the values of a setting, or nil for many values.
func valueTicks(at []float64, log bool) plot.Ticker {
	values := slices.Compact(slices.Sorted(slices.Values(at)))
	if len(values) > fewValues {
		return nil
	}
	var ticks plot.ConstantTicks
	for _, v := range values {
		tick := plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)}
		if log {
			tick.Value = math.Log10(v)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// thinTicks are ticks that are labelled as far as there is room in one of so many panels next to each other.
type thinTicks struct {
	plot.Ticker
	columns int
}

// Ticks implements plot.Ticker.
func (t thinTicks) Ticks(low, high float64) []plot.Tick {
	ticks := slices.Clone(t.Ticker.Ticks(low, high))
	character, end := 0.014*float64(t.columns)*(high-low), math.Inf(-1) // of labels on a page, along the axis
	for i, tick := range ticks {
		half := character * (float64(len(tick.Label)) + 0.5) / 2
		if tick.Value-half < end {
			ticks[i].Label = ""
		} else if tick.Label != "" {
			end = tick.Value + half
		}
	}
	return ticks
}

// place returns points as the axes place them.
func (lp linePanel) place(list []point) (out plotter.XYs) {
	for _, at := range list {
		xy := plotter.XY{X: at.x, Y: at.y}
		if lp.log {
			xy.X = math.Log10(xy.X)
		}
		if lp.logY {
			xy.Y = math.Log10(xy.Y)
		}
		out = append(out, xy)
	}
	return out
}

// some returns about a dozen of many points, so that marks tell lines apart and hide none.
func some(points plotter.XYs) (out plotter.XYs) {
	const marked = 12
	if len(points) <= 2*marked {
		return points
	}
	for i := 0; i < len(points); i += len(points) / marked {
		out = append(out, points[i])
	}
	return out
}

// spread draws the intervals of points: bars, or a band along neighbouring points and a bar at a lone
// one. A single seed has no interval; a band that narrowed towards it would suggest certainty.
func (lp linePanel) spread(p *plot.Plot, s canvas.Style, l line, points []point) {
	placed, colour := lp.place(points), l.look(s).Color
	for from, to := 0, 0; from < len(points); from = max(to, from+1) {
		to = from
		for to < len(points) && !l.bars && points[to].seeds > 1 && max(math.Abs(points[to].low), math.Abs(points[to].high)) <= canvas.DrawableMax {
			to++
		}
		if to-from < 2 {
			if at := points[from]; l.bars || at.seeds > 1 {
				bar := canvas.ErrorPoints{XYs: placed[from : from+1], YErrors: plotter.YErrors{{Low: at.y - at.low, High: at.high - at.y}}}
				p.Add(canvas.Bars(bar, s.Line(0.8, colour), 3*s.Unit))
			}
			continue
		}
		var outline plotter.XYs // the upper edge, then the lower one backwards
		for i := from; i < to; i++ {
			outline = append(outline, plotter.XY{X: placed[i].X, Y: points[i].high})
		}
		for i := to - 1; i >= from; i-- {
			outline = append(outline, plotter.XY{X: placed[i].X, Y: points[i].low})
		}
		p.Add(canvas.Area(outline, canvas.Translucent(colour)))
	}
}

// scale is how the values of a panel are drawn.
type scale struct {
	least  float64 // span of the axis, at least: a run at chance moves by thousandths, which would look like learning on a shorter one
	top    float64 // upper bound of the values, 0 for none; the lower bound is 0
	chance float64 // what guessing gives; 0: nothing to guess
	named  string  // chance in words
}

// ends are the smallest and the largest value of a panel.
type ends struct{ low, high float64 }

func (e ends) with(o ends) ends { return ends{min(e.low, o.low), max(e.high, o.high)} }

// lossScale and accuracyScale mark what guessing among classes with these shares would give: of C equal ones
// ln C nats and 100/C percent. With fewer than two classes nothing is marked.
func lossScale(shares []float64) scale {
	s := scale{least: 0.1}
	for _, p := range shares {
		if p > 0 && len(shares) > 1 {
			s.chance -= p * math.Log(p)
		}
	}
	if s.named = fmt.Sprintf("chance, ln %d", len(shares)); unequal(shares) {
		s.named = fmt.Sprintf("guessing by the shares of test, %.3g", s.chance)
	}
	return s
}

func accuracyScale(shares []float64) scale {
	s := scale{least: 10, top: 100}
	if len(shares) > 1 {
		s.chance = 100 * slices.Max(shares)
		s.named = fmt.Sprintf("chance, %.3g %%", s.chance)
	}
	if unequal(shares) {
		s.named = fmt.Sprintf("largest class of test, %.2f %%", s.chance)
	}
	return s
}

func unequal(shares []float64) bool {
	return len(shares) > 1 && slices.Max(shares)-slices.Min(shares) > 1e-9
}

// axis returns the ends of the axis for values between these: with chance where they
// come near it, at least as long as the least span, with a margin.
func (s scale) axis(e ends) ends {
	return s.alone(e).roomy()
}

// joint returns the ends of one axis for panels with values between these, and whether it
// serves all: a short one would be flat next to a much longer one.
func (s scale) joint(of []ends) (axis ends, serves bool) {
	least, most := math.Inf(1), 0.0
	for i, e := range of {
		own := s.alone(e)
		if least, most = min(least, own.span()), max(most, own.span()); i == 0 {
			axis = own
		}
		axis = axis.with(own)
	}
	return axis.roomy(), most <= wide*least
}

// wide is the ratio of the longest to the shortest span from which on panels have axes of their own,
// and of the largest to the smallest norm from which on its axis is logarithmic.
const wide = 20

// roomy leaves a margin at both ends.
func (e ends) roomy() ends {
	margin := max(0.04*e.span(), 1e-6)
	return ends{e.low - margin, e.high + margin}
}

func (e ends) span() float64 { return e.high - e.low }

// alone is axis of one panel, without margins.
func (s scale) alone(e ends) ends {
	if s.chance > 0 && e.low-s.least <= s.chance && s.chance <= e.high+s.least {
		e = e.with(ends{s.chance, s.chance})
	}
	grow := s.least - e.span()
	if !(grow > 0) {
		return e
	}
	down, up := grow/2, grow/2
	if s.top > 0 && e.high+up > s.top {
		up = max(0, s.top-e.high)
		down = grow - up
	}
	if e.low >= 0 && e.low < down {
		down, up = e.low, grow-e.low
	}
	return ends{e.low - down, e.high + up}
}
