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
	p = c.to.apply(p)
	return units(p.X), units(c.h - p.Y)
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
	if err := png.Encode(&b, img); err != nil {
		panic(err) // Inline recovers and returns it, because this interface has no errors
	}
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
