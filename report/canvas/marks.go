package canvas

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/term"
)

// drawable returns the plotter. It panics at numbers that cannot be drawn, such as NaN; the
// methods that write a figure return that as an error.
func drawable[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// Curve is a line through points.
func Curve(points plotter.XYer, look draw.LineStyle) *plotter.Line {
	line := drawable(plotter.NewLine(points))
	line.LineStyle = look
	return line
}

// Area is a filled polygon without an edge.
func Area(outline plotter.XYs, c color.Color) *plotter.Polygon {
	area := drawable(plotter.NewPolygon(outline))
	area.Color, area.LineStyle = c, draw.LineStyle{}
	return area
}

// Bars are the intervals of points, with ends of a width.
func Bars(points ErrorPoints, look draw.LineStyle, end vg.Length) *plotter.YErrorBars {
	bars := drawable(plotter.NewYErrorBars(points))
	bars.LineStyle, bars.CapWidth = look, end
	return bars
}

// Dots are filled circles in the colour of a line.
func Dots(s Style, points plotter.XYs, line draw.LineStyle) *plotter.Scatter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{
		Color: line.Color, Radius: 2.2 * s.Unit, Shape: draw.CircleGlyph{},
	}}
}

// Plotter is a function that draws in a panel.
type Plotter func(c draw.Canvas, p *plot.Plot)

// Plot implements plot.Plotter.
func (f Plotter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// Headroom reserves space for half a tick label above a panel, even without a label there.
// Otherwise titles side by side would not be level.
type Headroom struct{}

// Plot implements plot.Plotter.
func (Headroom) Plot(draw.Canvas, *plot.Plot) {}

// GlyphBoxes implements plot.GlyphBoxer.
func (Headroom) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	half := 0.6 * p.Y.Tick.Label.Height("0")
	return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: half}}}}
}

// Upright is a labelled vertical line across the whole panel.
type Upright struct {
	X     float64
	Label string
	Line  draw.LineStyle
	Text  draw.TextStyle
}

// Plot implements plot.Plotter. The label stands right of the line at the top,
// or left of it where it would leave the panel.
func (u Upright) Plot(c draw.Canvas, p *plot.Plot) {
	xs, _ := p.Transforms(&c)
	x := xs(u.X)
	c.StrokeLine2(u.Line, x, c.Min.Y, x, c.Max.Y)
	st := u.Text
	st.YAlign = draw.YTop
	gap := vg.Points(2)
	if x+gap+st.Width(u.Label) > c.Max.X {
		st.XAlign, gap = draw.XRight, -gap
	}
	c.FillText(st, vg.Point{X: x + gap, Y: c.Max.Y - vg.Points(1)}, u.Label)
}

// Diamond is a filled square on its tip.
type Diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (Diamond) DrawGlyph(c *draw.Canvas, st draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	p.Move(vg.Point{X: at.X, Y: at.Y + st.Radius})
	p.Line(vg.Point{X: at.X + st.Radius, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y - st.Radius})
	p.Line(vg.Point{X: at.X - st.Radius, Y: at.Y})
	p.Close()
	c.SetColor(st.Color)
	c.Fill(p)
}

// ErrorPoints are points with their intervals, in percent.
type ErrorPoints struct {
	plotter.XYs
	plotter.YErrors
}

// Series are the colours of several models in one panel: the ones of train and
// test come last.
var Series = []color.NRGBA{Green, Reddish, Orange, Sky, Blue, Vermillion}

// Shapes distinguish the same models in black and white.
var Shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// Translucent returns a colour for areas behind lines.
func Translucent(c color.Color) color.NRGBA {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = 0x38
	return n
}

// DrawableMax bounds drawn values: the loss of a run about to diverge may be
// too large for a canvas.
const DrawableMax = 1e9

// WrapLabel breaks a label at spaces into at most two lines of n characters, and marks an
// omission.
func WrapLabel(label string, most int) string {
	lines := strings.Split(term.Wrap(label, most, "", ""), "\n")
	if len(lines) > 2 {
		lines = append(lines[:1], lines[1]+" …")
	}
	return strings.Join(lines, "\n")
}

// Panel is one plot of a figure.
type Panel interface {
	Draw(Style) *plot.Plot
}

// Panels returns the function that draws panels side by side.
func Panels[P Panel](panels []P) func(Style) []*plot.Plot {
	return func(s Style) []*plot.Plot {
		var out []*plot.Plot
		for _, p := range panels {
			out = append(out, p.Draw(s))
		}
		return out
	}
}
