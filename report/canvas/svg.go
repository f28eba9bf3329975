package canvas

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/cmplx"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svgCanvas is a vg.CanvasSizer that writes SVG elements, for a page of HTML or for a file.
// gonum's vgsvg writes a style of ten properties at each path and nested groups, and does not
// know the colours of a page. Here coordinates are whole tenths of a point, and lines are relative
// to the previous point, which makes a ridge plot half as long.
type svgCanvas struct {
	w, h  vg.Length
	plain bool // for a file: fixed colours instead of the page's variables
	out   strings.Builder
	svgState
	stack []svgState
}

// svgState is what Push saves.
type svgState struct {
	to     similarity
	colour color.Color
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
}

func newSVGCanvas(s Size) *svgCanvas {
	c := &svgCanvas{w: s.Width, h: s.Height}
	c.to.turn = 1
	vg.Initialize(c)
	return c
}

// perPoint is the number of drawing units per point.
const perPoint = 10

// units rounds a length to units of the drawing.
func units(l vg.Length) int { return int(math.Round(perPoint * l.Points())) }

// decimal writes a length in units of the drawing with one decimal.
func decimal(l vg.Length) string {
	return strconv.FormatFloat(math.Round(10*perPoint*l.Points())/10, 'f', -1, 64)
}

// paint returns a colour as an attribute writes it, and its opacity.
func (c *svgCanvas) paint(colour color.Color) (css string, opacity float64) {
	if css, opacity = themed(colour); c.plain {
		css = hex(color.NRGBAModel.Convert(cmp.Or(colour, color.Color(color.Black))).(color.NRGBA))
	}
	return css, opacity
}

// place returns where a point lies in the drawing, whose y axis points down.
func (c *svgCanvas) place(p vg.Point) (x, y int) {
	z := c.to.turn*number(p) + c.to.shift
	return units(vg.Length(real(z))), units(c.h - vg.Length(imag(z)))
}

func (c *svgCanvas) Size() (w, h vg.Length)   { return c.w, c.h }
func (c *svgCanvas) SetLineWidth(w vg.Length) { c.width = w }
func (c *svgCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.dashes, c.offset = dashes, offset
}
func (c *svgCanvas) SetColor(colour color.Color) { c.colour = colour }
func (c *svgCanvas) Rotate(angle float64)        { c.to.turn *= cmplx.Rect(1, angle) }
func (c *svgCanvas) Translate(p vg.Point)        { c.to.shift += c.to.turn * number(p) }
func (c *svgCanvas) Scale(x, _ float64)          { c.to.turn *= complex(x, 0) }
func (c *svgCanvas) Push()                       { c.stack = append(c.stack, c.svgState) }

func (c *svgCanvas) Pop() {
	last := len(c.stack) - 1
	c.svgState, c.stack = c.stack[last], c.stack[:last]
}

// Stroke implements vg.Canvas.
func (c *svgCanvas) Stroke(p vg.Path) {
	paint, opacity := c.paint(c.colour)
	if c.width <= 0 || opacity == 0 {
		return
	}
	fmt.Fprintf(&c.out, `<path d="%s" fill="none" stroke="%s"`, c.data(p), paint)
	c.opacity("stroke", opacity)
	fmt.Fprintf(&c.out, ` stroke-width="%s"`, decimal(c.width))
	if len(c.dashes) > 0 {
		var dashes []string
		for _, d := range c.dashes {
			dashes = append(dashes, decimal(d))
		}
		fmt.Fprintf(&c.out, ` stroke-dasharray="%s"`, strings.Join(dashes, " "))
		if c.offset != 0 {
			fmt.Fprintf(&c.out, ` stroke-dashoffset="%s"`, decimal(c.offset))
		}
	}
	c.out.WriteString("/>\n")
}

// Fill implements vg.Canvas.
func (c *svgCanvas) Fill(p vg.Path) {
	paint, opacity := c.paint(c.colour)
	if opacity == 0 {
		return
	}
	fmt.Fprintf(&c.out, `<path d="%s" fill="%s"`, c.data(p), paint)
	c.opacity("fill", opacity)
	c.out.WriteString("/>\n")
}

func (c *svgCanvas) opacity(of string, opacity float64) {
	if opacity < 1 {
		fmt.Fprintf(&c.out, ` %s-opacity="%s"`, of, strconv.FormatFloat(opacity, 'g', 2, 64))
	}
}

// FillString implements vg.Canvas. The library places text by the widths of its
// own font; textLength keeps them in whatever font the page has, so that labels
// stay centred and clear of each other.
func (c *svgCanvas) FillString(f font.Face, p vg.Point, text string) {
	paint, opacity := c.paint(c.colour)
	if f.Font.Size <= 0 || opacity == 0 || text == "" {
		return
	}
	x, y := c.place(p)
	at := fmt.Sprintf(`x="%d" y="%d"`, x, y)
	if angle := cmplx.Phase(c.to.turn); math.Abs(angle) > 1e-6 {
		at = fmt.Sprintf(`transform="translate(%d %d) rotate(%s)"`, x, y, strconv.FormatFloat(-angle*180/math.Pi, 'f', 2, 64))
	}
	fmt.Fprintf(&c.out, `<text %s font-size="%s" fill="%s"`, at, decimal(f.Font.Size), paint)
	c.opacity("fill", opacity)
	if f.Font.Weight >= boldWeight {
		c.out.WriteString(` font-weight="bold"`)
	}
	if utf8.RuneCountInString(text) > 1 {
		fmt.Fprintf(&c.out, ` textLength="%d" lengthAdjust="spacingAndGlyphs"`, units(f.Width(text)))
	}
	c.out.WriteString(">" + escaped(text) + "</text>\n")
}

// DrawImage implements vg.Canvas.
func (c *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	_ = png.Encode(&b, img) // a buffer cannot fail
	href := "href"
	if c.plain { // older programs do not know href
		href = "xlink:href"
	}
	x, y := c.place(vg.Point{X: r.Min.X, Y: r.Max.Y})
	fmt.Fprintf(&c.out, `<image x="%d" y="%d" width="%d" height="%d" preserveAspectRatio="none" %s="data:image/png;base64,%s"/>`+"\n",
		x, y, units(r.Size().X), units(r.Size().Y), href, base64.StdEncoding.EncodeToString(b.Bytes()))
}

// escaped returns text as XML and HTML both read it.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder cannot fail
	return b.String()
}

// similarity is the map z → turn·z + shift of points as complex numbers. Plots need no other
// maps: Scale uses one factor for both axes.
type similarity struct{ turn, shift complex128 }

func number(p vg.Point) complex128 { return complex(float64(p.X), float64(p.Y)) }

// data returns a path in the syntax of the d attribute. Lines are relative to the
// previous point after rounding, so that rounding errors do not add up.
func (c *svgCanvas) data(p vg.Path) string {
	var d pathData
	for _, comp := range p {
		x, y := c.place(comp.Pos)
		switch comp.Type {
		case vg.MoveComp:
			d.to('M', x, y)
		case vg.LineComp:
			d.line(x, y)
		case vg.CurveComp:
			var at []int
			for _, control := range comp.Control {
				x, y := c.place(control)
				at = append(at, x, y)
			}
			command := byte('Q')
			if len(comp.Control) == 2 {
				command = 'C'
			}
			d.to(command, append(at, x, y)...)
		case vg.ArcComp:
			c.arc(&d, comp)
		case vg.CloseComp:
			d.to('Z')
			d.x, d.y = d.startX, d.startY
		}
	}
	return d.String()
}

// arc writes an arc in parts of at most half a turn: the ends of one whole turn
// would be the same point, and SVG draws no such arc.
func (c *svgCanvas) arc(d *pathData, comp vg.PathComp) {
	at := func(angle float64) (x, y int) {
		sin, cos := math.Sincos(angle)
		return c.place(vg.Point{X: comp.Pos.X + comp.Radius*vg.Length(cos), Y: comp.Pos.Y + comp.Radius*vg.Length(sin)})
	}
	if x, y := at(comp.Start); !d.begun {
		d.to('M', x, y)
	} else {
		d.line(x, y)
	}
	parts := int(math.Ceil(math.Abs(comp.Angle)/math.Pi - 1e-9))
	sweep := 0 // counterclockwise, as positive angles turn
	if comp.Angle < 0 {
		sweep = 1
	}
	radius := units(comp.Radius * vg.Length(cmplx.Abs(c.to.turn)))
	for i := range parts {
		x, y := at(comp.Start + comp.Angle*float64(i+1)/float64(parts))
		d.to('A', radius, radius, 0, 0, sweep, x, y)
	}
}

// pathData writes the commands of a path. It omits a command that repeats the
// previous one, and a space where a minus sign separates the numbers.
type pathData struct {
	strings.Builder
	last           byte
	begun          bool
	x, y           int // where the last command ended
	startX, startY int // of the subpath
}

// to writes a command of absolute coordinates that ends at the last two numbers.
func (d *pathData) to(command byte, numbers ...int) {
	d.command(command, numbers)
	if n := len(numbers); n >= 2 {
		d.x, d.y = numbers[n-2], numbers[n-1]
	}
	if command == 'M' {
		d.startX, d.startY = d.x, d.y
	}
}

// line writes a line. It omits a line of length 0.
func (d *pathData) line(x, y int) {
	if dx, dy := x-d.x, y-d.y; dx != 0 || dy != 0 {
		d.command('l', []int{dx, dy})
		d.x, d.y = x, y
	}
}

func (d *pathData) command(command byte, numbers []int) {
	part := d.begun && command == d.last && command != 'M'
	if !part {
		d.WriteByte(command)
	}
	for i, n := range numbers {
		if (part || i > 0) && n >= 0 {
			d.WriteByte(' ')
		}
		d.WriteString(strconv.Itoa(n))
	}
	d.last, d.begun = command, true
}
