package canvas

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/term"
)

// The palette is Okabe and Ito's ("Color Universal Design", 2008), distinguishable
// for readers with any of the common colour-vision deficiencies. Train and test keep
// their colour in every figure; dashes distinguish them in black and white.
var (
	Blue       = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	Vermillion = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	Green      = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	Orange     = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	Sky        = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	Reddish    = color.NRGBA{0xcc, 0x79, 0xa7, 0xff} // with green it distinguishes two runs, because blue and vermillion mean train and test
	Paper      = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	Ink        = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	Faint      = color.NRGBA{0x66, 0x66, 0x66, 0xff}
	Hairline   = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// Size is the size of a figure. Text and lines scale with the width, within limits.
type Size struct {
	Width, Height vg.Length
	DPI           int // of the PNG
}

// Page spans a page; Tall does with room for many ridges.
var (
	Page = Size{Width: 17 * vg.Centimeter, Height: 7.5 * vg.Centimeter, DPI: 180}
	Tall = Size{Width: 17 * vg.Centimeter, Height: 10.5 * vg.Centimeter, DPI: 180}
)

// Style is the look of a figure at one size; lengths are multiples of unit.
type Style struct{ Unit vg.Length }

// Style returns the look of figures of this size.
func (s Size) Style() Style {
	return Style{vg.Length(min(1.5, max(0.7, float64(s.Width/Page.Width))))}
}

// Text returns a text style; points is the size at the width of a page.
func (s Style) Text(points float64, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(points) * s.Unit},
		Handler: plot.DefaultTextHandler,
	}
}

// Line returns the look of a line, its dashes in units of the style.
func (s Style) Line(width float64, c color.Color, dashes ...float64) draw.LineStyle {
	l := draw.LineStyle{Color: c, Width: vg.Length(width) * s.Unit}
	for _, d := range dashes {
		l.Dashes = append(l.Dashes, vg.Length(d)*s.Unit)
	}
	return l
}

// Split returns the line of a split ("train", "test", "valid") in every figure.
func (s Style) Split(name string) draw.LineStyle {
	switch name {
	case "test":
		return s.Line(1.5, Vermillion)
	case "valid":
		return s.Line(1.1, Green, 1, 1.6)
	default:
		return s.Line(1.3, Blue, 4.5, 2)
	}
}

// Net returns hairlines behind the data.
func (s Style) Net(vertical, horizontal bool) *plotter.Grid {
	line := map[bool]draw.LineStyle{true: s.Line(0.5, Hairline)}
	return &plotter.Grid{Vertical: line[vertical], Horizontal: line[horizontal]}
}

// Panel returns an empty plot in this style, with a title and named axes.
func (s Style) Panel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.Title.TextStyle = title, s.Text(8.5, Ink)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = text.XCenter, text.YTop
	p.Title.Padding = 3 * s.Unit
	restyle := func(st *text.Style, like text.Style) { // keeps place and direction
		like.Rotation, like.XAlign, like.YAlign = st.Rotation, st.XAlign, st.YAlign
		*st = like
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		restyle(&a.Label.TextStyle, s.Text(8, Faint))
		restyle(&a.Tick.Label, s.Text(7.5, Ink))
		a.Label.Padding, a.Padding = 2*s.Unit, 0
		a.Tick.LineStyle, a.LineStyle = s.Line(0.5, Faint), s.Line(0.5, Faint)
		a.Tick.Length, a.Tick.Marker = 2.5*s.Unit, Ticks{6}
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

// Ticks places at most N + 1 labelled ticks at round values (1, 2 or 5 times a
// power of ten) and none between.
type Ticks struct{ N int }

// Ticks implements plot.Ticker.
func (t Ticks) Ticks(low, high float64) []plot.Tick {
	step, decimals := NiceStep(high-low, t.N)
	if step == 0 {
		return nil
	}
	var out []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		v := i*step + 0 // no negative zero
		out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', decimals, 64)})
	}
	return out
}

// NiceStep returns the smallest step (1, 2 or 5 times a power of ten) that fits at most n
// times into the span, and the decimals that it needs. It returns 0 for a span that is
// empty or not finite.
func NiceStep(span float64, n int) (step float64, decimals int) {
	if !(span > 0) || math.IsInf(span, 0) || n < 1 {
		return 0, 0
	}
	for exponent := -9; exponent <= 15; exponent++ {
		for _, m := range []float64{1, 2, 5} {
			if step = m * math.Pow10(exponent); span/step <= float64(n)+1e-9 {
				return step, max(0, -exponent)
			}
		}
	}
	return 0, 0
}

// EpochTicks labels epochs, each at its value times sign: the first, round ones, and the last.
func EpochTicks(first, last int, sign float64) (out plot.ConstantTicks) {
	step, _ := NiceStep(float64(last-first), 6)
	every := max(1, int(step))
	add := func(e int) {
		out = append(out, plot.Tick{Value: sign * float64(e), Label: strconv.Itoa(e)})
	}
	add(first)
	for e := (first/every + 1) * every; e < last; e += every {
		if min(e-first, last-e) >= (every+1)/2 {
			add(e)
		}
	}
	if last > first {
		add(last)
	}
	return out
}

// DecadeTicks places ticks at these multiples of the powers of ten; by default at 1, 2 and 5,
// or only at the powers if that gives many ticks.
type DecadeTicks []float64

// Ticks implements plot.Ticker; low and high are logarithms.
func (d DecadeTicks) Ticks(low, high float64) []plot.Tick {
	steps := []float64(d)
	if len(steps) == 0 {
		steps = []float64{1, 2, 5}
	}
	if high-low > 3 {
		steps = []float64{1}
	}
	const slack = 1e-9
	var out []plot.Tick
	for e := math.Floor(low); e <= high+slack; e++ {
		for _, m := range steps {
			if at := e + math.Log10(m); at >= low-slack && at <= high+slack {
				out = append(out, plot.Tick{Value: at, Label: plain(m * math.Pow(10, e))})
			}
		}
	}
	return out
}

// plain prints a number as people write it unless it is too long for an axis.
func plain(v float64) string {
	if v >= 1e7 || v < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -int(math.Floor(math.Log10(v)+1e-9))), 64)
}

// drawable panics at numbers such as NaN; the methods that write a figure return that as an error.
func drawable[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// Curve is a line through points.
func Curve(points plotter.XYer, style draw.LineStyle) *plotter.Line {
	line := drawable(plotter.NewLine(points))
	line.LineStyle = style
	return line
}

// Area is a filled polygon without an edge.
func Area(outline plotter.XYs, c color.Color) *plotter.Polygon {
	area := drawable(plotter.NewPolygon(outline))
	area.Color, area.LineStyle = c, draw.LineStyle{}
	return area
}

// Bar is an interval at x, with ends of a width.
func Bar(x, low, high float64, style draw.LineStyle, end vg.Length) *plotter.YErrorBars {
	bar := drawable(plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{plotter.XYs{{X: x, Y: low}}, plotter.YErrors{{High: high - low}}}))
	bar.LineStyle, bar.CapWidth = style, end
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

// WrapLabel breaks a label into at most two lines, and marks an omission.
func WrapLabel(label string, columns int) string {
	lines := strings.SplitN(term.Wrap(WithoutIDs(label), columns, "", ""), "\n", 3)
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

// Plot implements plot.Plotter. The label stands at an end of the line, above or below: where the fewest points are.
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
