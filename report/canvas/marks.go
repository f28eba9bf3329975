package canvas

import (
	"image/color"
	"math"
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

// Bar is an interval at x, with ends of a width.
func Bar(x, low, high float64, look draw.LineStyle, end vg.Length) *plotter.YErrorBars {
	bar := drawable(plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{plotter.XYs{{X: x, Y: low}}, plotter.YErrors{{High: high - low}}}))
	bar.LineStyle, bar.CapWidth = look, end
	return bar
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
	r := st.Radius
	c.FillPolygon(st.Color, []vg.Point{{X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}, {X: at.X - r, Y: at.Y}})
}

// Series are the colours of several models in one panel: the ones of train and
// test come last.
var Series = []color.NRGBA{Green, Reddish, Orange, Sky, Blue, Vermillion}

// Shapes distinguish the same models in black and white.
var Shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// Faded returns a colour of this opacity, 0 … 1.
func Faded(c color.Color, opacity float64) color.NRGBA {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = uint8(math.Round(255 * opacity))
	return n
}

// DrawableMax bounds drawn values: the loss of a run about to diverge may be
// too large for a canvas.
const DrawableMax = 1e9

// WrapLabel breaks a label at spaces into at most two lines of n characters, and marks an
// omission.
func WrapLabel(label string, most int) string {
	lines := strings.SplitN(term.Wrap(label, most, "", ""), "\n", 3)
	if len(lines) > 2 {
		lines = []string{lines[0], lines[1] + " …"}
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

// Level is a labelled horizontal line across the whole panel, where its axis has it.
type Level struct {
	Y      float64
	Label  string
	Line   draw.LineStyle
	Text   draw.TextStyle
	Around plotter.XYs // points that the label keeps clear of, where it can
}

// Plot implements plot.Plotter. The label stands at the right end of the line or at the
// left one, above it or below: where the fewest points of the panel are.
func (l Level) Plot(c draw.Canvas, p *plot.Plot) {
	if l.Y < p.Y.Min || l.Y > p.Y.Max {
		return
	}
	xs, ys := p.Transforms(&c)
	y := ys(l.Y)
	c.StrokeLine2(l.Line, c.Min.X, y, c.Max.X, y)
	edge, gap := vg.Points(1), vg.Points(1.5)
	style, fewest := l.Text, math.MaxInt
	var at vg.Point
	for i := range 4 {
		st, corner := l.Text, vg.Point{X: c.Max.X - edge, Y: y + gap}
		st.XAlign, st.YAlign = draw.XRight, draw.YBottom
		if i > 1 {
			corner.X, st.XAlign = c.Min.X+edge, draw.XLeft
		}
		if i%2 == 1 {
			corner.Y, st.YAlign = y-gap, draw.YTop
		}
		box := st.Rectangle(l.Label).Add(corner)
		if box.Max.Y > c.Max.Y || box.Min.Y < c.Min.Y {
			continue
		}
		n := 0
		for _, xy := range l.Around {
			if at := (vg.Point{X: xs(xy.X), Y: ys(xy.Y)}); at.X >= box.Min.X && at.X <= box.Max.X && at.Y >= box.Min.Y-gap && at.Y <= box.Max.Y+gap {
				n++
			}
		}
		if n < fewest {
			fewest, style, at = n, st, corner
		}
	}
	if fewest < math.MaxInt {
		c.FillText(style, at, l.Label)
	}
}
