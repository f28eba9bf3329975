package report

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
)

// curve is one number of one split over the epochs.
type curve struct {
	split  string
	epochs []int
	values []float64 // NaN where there is none
	sd     []float64 // over the seeds, of each value; nil, or NaN, where there is one seed
}

func (c *curve) add(epoch int, value float64) {
	c.epochs, c.values = append(c.epochs, epoch), append(c.values, value)
}

// drawableMax bounds what is drawn: the loss of a run about to diverge may be
// too large for a canvas.
const drawableMax = 1e9

func (c curve) xys() plotter.XYs {
	var out plotter.XYs
	for i, v := range c.values {
		if math.Abs(v) <= drawableMax { // not for NaN
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
		if v := c.values[i]; math.Abs(v)+sd <= drawableMax {
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
}

func (cp curvePanel) drawable() bool {
	return slices.ContainsFunc(cp.curves, func(c curve) bool { return len(c.xys()) > 0 })
}

// draw draws the panel. Its y axis spans the values, not zero: a loss curve
// that starts at ln 2 and ends at 0.4 needs all of the height.
func (cp curvePanel) draw(s style) (*plot.Plot, error) {
	p := s.panel(cp.title, "epoch", cp.unit)
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{}
	grid.Horizontal = s.line(0.5, hairline)
	p.Add(grid, headroom{})
	for _, c := range cp.curves { // behind all lines
		if outline := c.band(); len(outline) > 2 {
			band, err := plotter.NewPolygon(outline)
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", cp.title, c.split, err)
			}
			band.Color, band.LineStyle = translucent(s.split(c.split).Color), draw.LineStyle{}
			p.Add(band)
		}
	}
	first, last := math.MaxInt, 0
	for _, c := range cp.curves {
		points := c.xys()
		if len(points) == 0 {
			continue
		}
		first = min(first, int(points[0].X))
		last = max(last, int(points[len(points)-1].X))
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", cp.title, c.split, err)
		}
		line.LineStyle = s.split(c.split)
		p.Add(line)
		if len(points) == 1 { // a line of one point is invisible
			p.Add(dots(s, points, line.LineStyle))
		}
	}
	if last == 0 {
		return nil, fmt.Errorf("%s: no epochs to draw", cp.title)
	}
	for _, sp := range cp.spots {
		p.Add(dots(s, plotter.XYs{{X: float64(sp.epoch), Y: sp.value}}, s.split(sp.split)))
		last = max(last, sp.epoch)
	}
	if cp.chosen > 0 && cp.chosen < last {
		p.Add(upright{x: float64(cp.chosen), label: "chosen", line: s.line(0.7, faint, 2, 2), text: s.text(6.5, faint)})
	}
	p.X.Min, p.X.Max = float64(first), float64(last)
	if first == last { // a run of one epoch: its dots in the middle
		p.X.Min, p.X.Max = float64(first)-1, float64(first)+1
	}
	margin := max(0.04*(p.Y.Max-p.Y.Min), 1e-6)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	p.X.Tick.Marker = constantTicks(epochTicks(first, last, 6), 1)
	return p, nil
}

func dots(s style, points plotter.XYs, line draw.LineStyle) *plotter.Scatter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{
		Color: line.Color, Radius: 2.2 * s.unit, Shape: draw.CircleGlyph{},
	}}
}

func constantTicks(epochs []int, sign float64) plot.ConstantTicks {
	var out plot.ConstantTicks
	for _, e := range epochs {
		out = append(out, plot.Tick{Value: sign * float64(e), Label: strconv.Itoa(e)})
	}
	return out
}

// headroom keeps room for half a tick's label above a panel, whether or not one
// stands there: else titles side by side would not be level.
type headroom struct{}

// Plot implements plot.Plotter.
func (headroom) Plot(draw.Canvas, *plot.Plot) {}

// GlyphBoxes implements plot.GlyphBoxer.
func (headroom) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	half := 0.6 * p.Y.Tick.Label.Height("0")
	return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: half}}}}
}

// translucent returns a colour for areas behind lines.
func translucent(c color.Color) color.NRGBA {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = 0x38
	return n
}

// upright is a labelled vertical line across the whole panel.
type upright struct {
	x     float64
	label string
	line  draw.LineStyle
	text  draw.TextStyle
}

// Plot implements plot.Plotter. The label stands right of the line at the top,
// or left of it where it would leave the panel.
func (u upright) Plot(c draw.Canvas, p *plot.Plot) {
	xs, _ := p.Transforms(&c)
	x := xs(u.x)
	c.StrokeLine2(u.line, x, c.Min.Y, x, c.Max.Y)
	st := u.text
	st.YAlign = draw.YTop
	gap := vg.Points(2)
	if x+gap+st.Width(u.label) > c.Max.X {
		st.XAlign, gap = draw.XRight, -gap
	}
	c.FillText(st, vg.Point{X: x + gap, Y: c.Max.Y - vg.Points(1)}, u.label)
}
