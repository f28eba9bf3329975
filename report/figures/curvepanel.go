package figures

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"imdbexp/report/canvas"
)

// curve is one number of one split over the epochs.
type curve struct {
	split  string
	epochs []int
	values []float64 // NaN for none
	sd     []float64 // over the seeds, of each value; nil, or NaN, where there is one seed

	smoothed []float64 // the line that is drawn, the values faint behind it; nil: the values
}

func (c *curve) add(epoch int, value float64) {
	c.epochs, c.values = append(c.epochs, epoch), append(c.values, value)
}

func (c curve) xys() plotter.XYs { return c.points(c.values) }

func (c curve) points(values []float64) plotter.XYs {
	var out plotter.XYs
	for i, v := range values {
		if math.Abs(v) <= canvas.DrawableMax { // not for NaN
			out = append(out, plotter.XY{X: float64(c.epochs[i]), Y: v})
		}
	}
	return out
}

// band returns the outline of the values ± one standard deviation; nil where no
// epoch has one.
func (c curve) band() plotter.XYs {
	var upper, lower plotter.XYs
	for i, sd := range c.sd {
		if v := c.values[i]; math.Abs(v)+sd <= canvas.DrawableMax {
			upper = append(upper, plotter.XY{X: float64(c.epochs[i]), Y: v + sd})
			lower = append(lower, plotter.XY{X: float64(c.epochs[i]), Y: v - sd})
		}
	}
	slices.Reverse(lower)
	return append(upper, lower...)
}

// spot is a published number, drawn as a dot in the colour of its split.
type spot struct {
	split string
	epoch int
	value float64
}

// curvePanel is one panel of curves over the epochs.
type curvePanel struct {
	title, unit string
	curves      []curve
	spots       []spot
	chosen      int // epoch that counts, marked when it is not the last; 0: none
	scale       scale
	axis        ends // zero: that of the scale
}

func (cp curvePanel) drawable() bool {
	return slices.ContainsFunc(cp.curves, func(c curve) bool { return len(c.xys()) > 0 })
}

// ends returns the range of all values in the panel.
func (cp curvePanel) ends() ends {
	e := ends{math.Inf(1), math.Inf(-1)}
	for _, c := range cp.curves {
		for _, xy := range append(c.xys(), c.band()...) {
			e = e.with(ends{xy.Y, xy.Y})
		}
	}
	for _, sp := range cp.spots {
		e = e.with(ends{sp.value, sp.value})
	}
	return e
}

// Draw draws the panel, which is drawable. Its y axis spans the values, not zero, see scale: a loss curve
// that starts at ln 2 and ends at 0.4 needs all of the height.
func (cp curvePanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(cp.title, "epoch", cp.unit)
	p.Add(s.Net(false, true), canvas.Headroom{})
	level := cp.scale.line(s)
	if cp.scale.chance > 0 {
		p.Add(&level)
	}
	for _, c := range cp.curves { // behind all lines
		if outline := c.band(); len(outline) > 2 {
			p.Add(canvas.Area(outline, canvas.Translucent(s.Split(c.split).Color)))
		}
		if raw := c.xys(); c.smoothed != nil && len(raw) > 1 {
			faint := canvas.Translucent(s.Split(c.split).Color)
			faint.A *= 2 // it may lie on the band of the seeds
			p.Add(canvas.Curve(raw, s.Line(0.9, faint)))
		}
	}
	first, last := math.MaxInt, 0
	for _, c := range cp.curves {
		points := c.xys()
		if c.smoothed != nil {
			points = c.points(c.smoothed)
		}
		if len(points) == 0 {
			continue
		}
		first = min(first, int(points[0].X))
		last = max(last, int(points[len(points)-1].X))
		p.Add(canvas.Curve(points, s.Split(c.split)))
		level.Around = append(level.Around, points)
		if len(points) == 1 { // a line of one point is invisible
			p.Add(canvas.Dots(s, points, s.Split(c.split)))
		}
	}
	for _, sp := range cp.spots {
		dot := plotter.XYs{{X: float64(sp.epoch), Y: sp.value}}
		p.Add(canvas.Dots(s, dot, s.Split(sp.split)))
		level.Around = append(level.Around, dot)
		last = max(last, sp.epoch)
	}
	if cp.chosen > 0 && cp.chosen < last {
		p.Add(canvas.Upright{X: float64(cp.chosen), Label: "chosen", Line: s.Line(0.7, canvas.Faint, 2, 2), Text: s.Text(6.5, canvas.Faint)})
	}
	p.X.Min, p.X.Max = float64(first), float64(last)
	if first == last { // a run of one epoch: its dots in the middle
		p.X.Min, p.X.Max = float64(first)-1, float64(first)+1
	}
	axis := cp.axis
	if axis == (ends{}) {
		axis = cp.scale.axis(cp.ends())
	}
	p.Y.Min, p.Y.Max = axis.low, axis.high
	p.X.Tick.Marker = canvas.WholeTicks(canvas.EpochTicks(first, last, 6), 1)
	return p
}
