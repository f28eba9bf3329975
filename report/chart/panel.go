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

	"imdbexp/report/canvas"
)

// Point is a number at X with the ends of its interval or deviation, which are NaN without one.
type Point struct {
	X, Y, Low, High float64
	N               int // seeds, or divisions of the reviews, that it is the mean of
}

// interval reports whether the point has an interval that can be drawn.
func (p Point) interval() bool { return max(math.Abs(p.Low), math.Abs(p.High)) <= canvas.DrawableMax }

// Curve goes through points.
type Curve struct {
	Name   string
	Points []Point
	Raw    []Point // drawn faint behind a smoothed curve
	Line   func(canvas.Style) draw.LineStyle
	Shape  draw.GlyphDrawer // of its marks; nil: only a curve of one point has one
	Bars   bool             // a bar for each interval, not a band
	Loose  bool             // marks alone, no line
}

// Numbered returns the i-th curve of several settings: its colour and marks follow from i.
func Numbered(name string, i int, points []Point) Curve {
	i %= len(canvas.Series)
	return Curve{Name: name, Points: points, Line: Line(1.3, canvas.Series[i]), Shape: canvas.Shapes[i]}
}

// Legend returns the entry of the curve.
func (c Curve) Legend() canvas.LegendEntry {
	return canvas.LegendEntry{Name: c.Name, Line: c.Line, Shape: c.Shape, Dot: c.Loose}
}

// Figure returns a figure of panels side by side. A name has the same look in all panels.
func Figure(title string, panels ...LinePanel) canvas.Figure {
	f := canvas.Figure{Title: title, Size: canvas.Page, Panels: canvas.Panels(panels)}
	for _, p := range panels {
		for _, c := range p.Curves {
			if !slices.ContainsFunc(f.Legend, func(e canvas.LegendEntry) bool { return e.Name == c.Name }) {
				f.Legend = append(f.Legend, c.Legend())
			}
		}
	}
	return f
}

// LinePanel is a panel of curves over epochs, a setting, the length of reviews, ….
type LinePanel struct {
	Title, X, Y string // labels
	Curves      []Curve
	Others      []Curve   // drawn behind, faint; all panels of a figure get the same axes by them
	Marks       []float64 // values of x with an upright line
	MarkLabel   string
	Scale       Scale
	XEnds       Span // zero: those of the curves
	YEnds       Span // zero: those of the scale
	Epochs      bool // x counts epochs
	Log         bool
	Margin      float64 // share of the x axis at its ends, for the marks
	Ticks       plot.Ticker
}

// Drawable returns the points that a canvas has room for.
func Drawable(list []Point) []Point {
	return slices.DeleteFunc(list, func(p Point) bool { return !(math.Abs(p.Y) <= canvas.DrawableMax) })
}

// Extent returns how far the curves reach along x, and with their intervals along y.
func (lp LinePanel) Extent() (across, up Span) {
	across, up = None, None
	for _, c := range slices.Concat(lp.Curves, lp.Others) {
		for _, p := range slices.Concat(c.Points, c.Raw) {
			across, up = across.With(p.X), up.With(p.Y)
			if p.interval() {
				up = up.With(p.Low, p.High)
			}
		}
	}
	return across, up
}

// Draw implements canvas.Panel. The y axis spans the values, not zero: a loss from ln 2 to 0.4 needs all of the height.
func (lp LinePanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(lp.Title, lp.X, lp.Y)
	p.Add(s.Net(false, true))
	level := canvas.Level{Y: lp.Scale.Chance, Label: lp.Scale.Named, Line: s.Line(0.7, canvas.Faint, 1, 2), Text: s.Text(6.5, canvas.Faint)}
	if lp.Scale.Chance > 0 {
		p.Add(&level)
	}
	for _, c := range lp.Others {
		p.Add(canvas.Curve(lp.place(c.Points), s.Line(0.8, canvas.Hairline)))
	}
	for _, c := range lp.Curves { // behind all lines
		if c.Raw == nil {
			lp.spread(p, s, c, c.Points)
			continue
		}
		lp.spread(p, s, c, c.Raw)
		p.Add(canvas.Curve(lp.place(c.Raw), s.Line(0.9, canvas.Faded(c.Line(s).Color, 0.44)))) // it may lie on the band of the seeds
	}
	for _, c := range lp.Curves {
		points, line := lp.place(c.Points), c.Line(s)
		if len(points) == 0 {
			continue
		}
		level.Around = append(level.Around, points...)
		for i, at := range c.Points {
			if c.Bars && at.Low <= level.Y && level.Y <= at.High {
				level.Around = append(level.Around, plotter.XY{X: points[i].X, Y: level.Y})
			}
		}
		marks := canvas.Dots(s, points, line)
		if !c.Loose {
			p.Add(canvas.Curve(points, line))
			marks.XYs = some(points)
		}
		if c.Shape != nil {
			marks.Shape = c.Shape
		}
		if c.Loose || c.Shape != nil || len(points) == 1 { // a line of one point is invisible
			p.Add(marks)
		}
	}
	lp.axes(p, s)
	return p
}

// axes sets the ends and ticks of the axes, and draws the upright marks.
func (lp LinePanel) axes(p *plot.Plot, s canvas.Style) {
	across, up := lp.Extent()
	if across == None {
		across, up = Span{0, 1}, Span{0, 1}
	}
	if lp.XEnds != (Span{}) {
		across = lp.XEnds
	}
	if lp.Log {
		across = across.log()
	}
	margin := lp.Margin * across.Width()
	if across.Width() == 0 { // one epoch or length: in the middle
		margin = 1
	}
	p.X.Min, p.X.Max = across.Low-margin, across.High+margin
	switch {
	case lp.Ticks != nil:
		p.X.Tick.Marker = lp.Ticks
	case lp.Log:
		p.X.Tick.Marker = canvas.DecadeTicks{}
	case lp.Epochs:
		p.X.Tick.Marker = canvas.EpochTicks(int(across.Low), int(across.High), 1)
	}
	axis := lp.YEnds
	if axis == (Span{}) {
		axis = lp.Scale.Axis(up)
	}
	p.Y.Min, p.Y.Max = axis.Low, axis.High
	for _, m := range lp.Marks {
		if x := lp.place([]Point{{X: m}})[0].X; x > p.X.Min && x < p.X.Max {
			p.Add(canvas.Upright{X: x, Label: lp.MarkLabel, Line: s.Line(0.7, canvas.Faint, 2, 2), Text: s.Text(6.5, canvas.Faint)})
		}
	}
}

// place returns points as the axes place them.
func (lp LinePanel) place(list []Point) (out plotter.XYs) {
	for _, at := range list {
		xy := plotter.XY{X: at.X, Y: at.Y}
		if lp.Log {
			xy.X = math.Log10(xy.X)
		}
		out = append(out, xy)
	}
	return out
}

// some returns about a dozen of many points, to distinguish lines and hide none.
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
func (lp LinePanel) spread(p *plot.Plot, s canvas.Style, c Curve, points []Point) {
	placed, colour := lp.place(points), c.Line(s).Color
	for from, to := 0, 0; from < len(points); from = max(to, from+1) {
		to = from
		for to < len(points) && points[to].interval() && (!c.Bars || to == from) {
			to++
		}
		if at := points[from]; to-from == 1 {
			p.Add(canvas.Bar(placed[from].X, at.Low, at.High, s.Line(0.8, colour), 3*s.Unit))
		}
		if to-from < 2 {
			continue
		}
		var outline plotter.XYs // the upper edge, then the lower one backwards
		for i := from; i < to; i++ {
			outline = append(outline, plotter.XY{X: placed[i].X, Y: points[i].High})
		}
		for i := to - 1; i >= from; i-- {
			outline = append(outline, plotter.XY{X: placed[i].X, Y: points[i].Low})
		}
		p.Add(canvas.Area(outline, canvas.Faded(colour, 0.22)))
	}
}

// Line returns a line of a width and colour.
func Line(width float64, colour color.Color, dashes ...float64) func(canvas.Style) draw.LineStyle {
	return func(s canvas.Style) draw.LineStyle { return s.Line(width, colour, dashes...) }
}

// ValueTicks returns ticks at the values of a setting, labelled where there is room in one of so many columns.
func ValueTicks(at []float64, log bool, columns int) plot.Ticker {
	var ticks plot.ConstantTicks
	for _, v := range slices.Compact(slices.Sorted(slices.Values(at))) {
		tick := plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)}
		if log {
			tick.Value = math.Log10(v)
		}
		ticks = append(ticks, tick)
	}
	return ThinTicks{ticks, columns}
}

// ThinTicks omits labels that have no room.
type ThinTicks struct {
	plot.Ticker
	Columns int // panels next to each other
}

// Ticks implements plot.Ticker.
func (t ThinTicks) Ticks(low, high float64) []plot.Tick {
	ticks := slices.Clone(t.Ticker.Ticks(low, high))
	character, end := 0.014*float64(t.Columns)*(high-low), math.Inf(-1) // of labels on a page, along the axis
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

// Scale says how the values of a panel are drawn.
type Scale struct {
	Least  float64 // span of the axis, at least: a run at chance moves by thousandths, which would look like learning on a shorter one
	Top    float64 // upper bound of the values, 0 for none; the lower bound is 0
	Chance float64 // what guessing gives; 0: nothing to guess
	Named  string  // chance in words
}

// LossScale and AccuracyScale mark what guessing among two or more classes with these shares would give.
func LossScale(shares []float64) Scale {
	s := Scale{Least: 0.1}
	for _, p := range shares {
		if p > 0 && len(shares) > 1 {
			s.Chance -= p * math.Log(p)
		}
	}
	if s.Named = fmt.Sprintf("chance, ln %d", len(shares)); Unequal(shares) {
		s.Named = fmt.Sprintf("guessing by the shares of test, %.3g", s.Chance)
	}
	return s
}

// AccuracyScale is described with LossScale.
func AccuracyScale(shares []float64) Scale {
	s := Scale{Least: 10, Top: 100}
	if len(shares) > 1 {
		s.Chance = 100 * slices.Max(shares)
		s.Named = fmt.Sprintf("chance, %.3g %%", s.Chance)
	}
	if Unequal(shares) {
		s.Named = fmt.Sprintf("largest class of test, %.2f %%", s.Chance)
	}
	return s
}

// Unequal reports whether classes have different shares.
func Unequal(shares []float64) bool {
	return len(shares) > 1 && slices.Max(shares)-slices.Min(shares) > 1e-9
}

// Axis returns the ends of the axis for values between these: with chance where they
// come near it, at least as long as the least span, with a margin.
func (s Scale) Axis(e Span) Span { return s.Alone(e).roomy() }

// Alone is Axis of one panel, without margins.
func (s Scale) Alone(e Span) Span {
	if s.Chance > 0 && e.Low-s.Least <= s.Chance && s.Chance <= e.High+s.Least {
		e = e.With(s.Chance)
	}
	grow := s.Least - e.Width()
	if !(grow > 0) {
		return e
	}
	down, up := grow/2, grow/2
	if s.Top > 0 && e.High+up > s.Top {
		up = max(0, s.Top-e.High)
		down = grow - up
	}
	if e.Low >= 0 && e.Low < down {
		down, up = e.Low, grow-e.Low
	}
	return Span{e.Low - down, e.High + up}
}

// Span is the smallest and the largest value of an axis.
type Span struct{ Low, High float64 }

// None are the ends of no values.
var None = Span{math.Inf(1), math.Inf(-1)}

// With returns ends that have these values between them, too.
func (e Span) With(values ...float64) Span {
	for _, v := range values {
		e = Span{min(e.Low, v), max(e.High, v)}
	}
	return e
}

// Width returns the distance of the ends.
func (e Span) Width() float64 { return e.High - e.Low }

// roomy leaves a margin at both ends.
func (e Span) roomy() Span {
	margin := max(0.04*e.Width(), 1e-6)
	return Span{e.Low - margin, e.High + margin}
}

func (e Span) log() Span { return Span{math.Log10(e.Low), math.Log10(e.High)} }
