package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette is Okabe and Ito's ("Color Universal Design", 2008), told apart by
// readers with any of the common colour-vision deficiencies. Train and test keep
// their colour in every figure; dashes tell them apart in black and white.
var (
	blue       = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	vermillion = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	green      = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	orange     = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	sky        = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	paper      = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	ink        = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	faint      = color.NRGBA{0x66, 0x66, 0x66, 0xff}
	hairline   = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// Size is how large a figure is drawn. Type and lines keep their proportion to
// the width within limits, so that a figure of a third of a page is readable.
type Size struct {
	Width, Height vg.Length
	DPI           int // of the PNG
}

// The sizes in use: Page spans a page, Tall does with room for many ridges,
// Column spans half a page.
var (
	Page   = Size{Width: 17 * vg.Centimeter, Height: 7.5 * vg.Centimeter, DPI: 180}
	Tall   = Size{Width: 17 * vg.Centimeter, Height: 10.5 * vg.Centimeter, DPI: 180}
	Column = Size{Width: 8.5 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 220}
)

// style is the look of a figure at one size; lengths are multiples of unit.
type style struct{ unit vg.Length }

func (s Size) style() style {
	return style{vg.Length(min(1.5, max(0.7, float64(s.Width/Page.Width))))}
}

func (s style) text(points float64, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(points) * s.unit},
		Handler: plot.DefaultTextHandler,
	}
}

func (s style) line(width float64, c color.Color, dashes ...float64) draw.LineStyle {
	l := draw.LineStyle{Color: c, Width: vg.Length(width) * s.unit}
	for _, d := range dashes {
		l.Dashes = append(l.Dashes, vg.Length(d)*s.unit)
	}
	return l
}

// split returns the line of a split ("train", "test", "valid") in every figure.
func (s style) split(name string) draw.LineStyle {
	switch name {
	case "test":
		return s.line(1.5, vermillion)
	case "valid":
		return s.line(1.1, green, 1, 1.6)
	default:
		return s.line(1.3, blue, 4.5, 2)
	}
}

// panel returns an empty plot in this style, with a title and named axes.
func (s style) panel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.Title.Text, p.Title.TextStyle = title, s.text(8.5, ink)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = text.XCenter, text.YTop
	p.Title.Padding = 3 * s.unit
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		rotation, xa, ya := a.Label.TextStyle.Rotation, a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		a.Label.TextStyle = s.text(8, faint)
		a.Label.TextStyle.Rotation, a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = rotation, xa, ya
		a.Label.Padding = 2 * s.unit
		xa, ya = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = s.text(7.5, ink)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = xa, ya
		a.Tick.LineStyle = s.line(0.5, faint)
		a.Tick.Length = 2.5 * s.unit
		a.LineStyle = s.line(0.5, faint)
		a.Padding = 0
		a.Tick.Marker = ticks{6}
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}
