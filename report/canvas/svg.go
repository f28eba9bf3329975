package canvas

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"hash/fnv"
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
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
)

// svgCanvas is a vg.CanvasSizer that writes SVG elements, with coordinates in tenths of a point. gonum's vgsvg writes a
// style of ten properties at each path, which a page's policy may forbid, and nested groups.
type svgCanvas struct {
	w, h vg.Length
	out  strings.Builder
	svgState
	stack []svgState
}

// svgState is what Push saves.
type svgState struct {
	turn, shift complex128 // a point z lies at turn·z + shift; Scale uses one factor for both axes
	colour      color.Color
	width       vg.Length
	dashes      []vg.Length
	offset      vg.Length
}

func newSVGCanvas(s Size) *svgCanvas {
	c := &svgCanvas{w: s.Width, h: s.Height}
	c.turn = 1
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

// paint returns the attributes of the current colour; "" if it is transparent.
func (c *svgCanvas) paint(attribute string) string {
	n := color.NRGBAModel.Convert(c.colour).(color.NRGBA)
	text := fmt.Sprintf(`%s="%s"`, attribute, hex(n))
	switch n.A {
	case 0:
		return ""
	case 0xff:
		return text
	}
	return text + fmt.Sprintf(` %s-opacity="%.2g"`, attribute, float64(n.A)/255)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func number(p vg.Point) complex128 { return complex(float64(p.X), float64(p.Y)) }

// place returns where a point lies in the drawing, whose y axis points down.
func (c *svgCanvas) place(p vg.Point) (x, y int) {
	z := c.turn*number(p) + c.shift
	return units(vg.Length(real(z))), units(c.h - vg.Length(imag(z)))
}

func (c *svgCanvas) Size() (w, h vg.Length)   { return c.w, c.h }
func (c *svgCanvas) SetLineWidth(w vg.Length) { c.width = w }
func (c *svgCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.dashes, c.offset = dashes, offset
}
func (c *svgCanvas) SetColor(colour color.Color) { c.colour = cmp.Or(colour, color.Color(color.Black)) }
func (c *svgCanvas) Rotate(angle float64)        { c.turn *= cmplx.Rect(1, angle) }
func (c *svgCanvas) Translate(p vg.Point)        { c.shift += c.turn * number(p) }
func (c *svgCanvas) Scale(x, _ float64)          { c.turn *= complex(x, 0) }
func (c *svgCanvas) Push()                       { c.stack = append(c.stack, c.svgState) }

func (c *svgCanvas) Pop() {
	last := len(c.stack) - 1
	c.svgState, c.stack = c.stack[last], c.stack[:last]
}

// Stroke implements vg.Canvas.
func (c *svgCanvas) Stroke(p vg.Path) {
	paint := c.paint("stroke")
	if c.width <= 0 || paint == "" {
		return
	}
	fmt.Fprintf(&c.out, `<path d="%s" fill="none" %s stroke-width="%s"`, c.data(p), paint, decimal(c.width))
	if len(c.dashes) > 0 {
		var dashes []string
		for _, d := range c.dashes {
			dashes = append(dashes, decimal(d))
		}
		fmt.Fprintf(&c.out, ` stroke-dasharray="%s" stroke-dashoffset="%s"`, strings.Join(dashes, " "), decimal(c.offset))
	}
	c.out.WriteString("/>\n")
}

// Fill implements vg.Canvas.
func (c *svgCanvas) Fill(p vg.Path) {
	if paint := c.paint("fill"); paint != "" {
		fmt.Fprintf(&c.out, "<path d=\"%s\" %s/>\n", c.data(p), paint)
	}
}

// FillString implements vg.Canvas. The library places text by the widths of its
// own font; textLength keeps them in whatever font the page has, so that labels
// stay centred and clear of each other.
func (c *svgCanvas) FillString(f font.Face, p vg.Point, text string) {
	paint := c.paint("fill")
	if f.Font.Size <= 0 || paint == "" || text == "" {
		return
	}
	x, y := c.place(p)
	at := fmt.Sprintf(`x="%d" y="%d"`, x, y)
	if angle := cmplx.Phase(c.turn); math.Abs(angle) > 1e-6 {
		at = fmt.Sprintf(`transform="translate(%d %d) rotate(%.2f)"`, x, y, -angle*180/math.Pi)
	}
	fmt.Fprintf(&c.out, `<text %s font-size="%s" %s`, at, decimal(f.Font.Size), paint)
	if f.Font.Weight >= boldWeight {
		c.out.WriteString(` font-weight="bold"`)
	}
	if utf8.RuneCountInString(text) > 1 {
		fmt.Fprintf(&c.out, ` textLength="%d" lengthAdjust="spacingAndGlyphs"`, units(f.Width(text)))
	}
	c.out.WriteString(">" + escaped(text) + "</text>\n")
}

// DrawImage implements vg.Canvas. Older programs know xlink:href alone.
func (c *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	_ = png.Encode(&b, img) // a buffer cannot fail
	x, y := c.place(vg.Point{X: r.Min.X, Y: r.Max.Y})
	fmt.Fprintf(&c.out, `<image x="%d" y="%d" width="%d" height="%d" preserveAspectRatio="none" xlink:href="data:image/png;base64,%s"/>`+"\n",
		x, y, units(r.Size().X), units(r.Size().Y), base64.StdEncoding.EncodeToString(b.Bytes()))
}

// escaped returns text as XML and HTML both read it.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder cannot fail
	return b.String()
}

// data returns a path in the syntax of the d attribute.
func (c *svgCanvas) data(p vg.Path) string {
	var d strings.Builder
	command := func(name string, points ...vg.Point) {
		d.WriteString(name)
		for i, at := range points {
			x, y := c.place(at)
			d.WriteString(map[bool]string{true: " "}[i > 0] + strconv.Itoa(x) + " " + strconv.Itoa(y))
		}
	}
	for i, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			command("M", comp.Pos)
		case vg.LineComp:
			command("L", comp.Pos)
		case vg.CurveComp:
			command(map[int]string{1: "Q", 2: "C"}[len(comp.Control)], append(comp.Control, comp.Pos)...)
		case vg.ArcComp: // in halves: the ends of a whole turn would be one point, and SVG draws no such arc
			at := func(share float64) vg.Point {
				sin, cos := math.Sincos(comp.Start + share*comp.Angle)
				return comp.Pos.Add(vg.Point{X: comp.Radius * vg.Length(cos), Y: comp.Radius * vg.Length(sin)})
			}
			command(map[bool]string{true: "M", false: "L"}[i == 0], at(0))
			radius := units(comp.Radius * vg.Length(cmplx.Abs(c.turn)))
			sweep := map[bool]int{true: 1}[comp.Angle < 0] // counterclockwise, as positive angles turn
			for _, share := range []float64{0.5, 1} {
				command(fmt.Sprintf("A%d %d 0 0 %d ", radius, radius, sweep), at(share))
			}
		case vg.CloseComp:
			command("Z")
		}
	}
	return d.String()
}

// Inline figures are narrower and taller than Page, for phones, which show them at 90 % of their size.
const (
	inlineWidth  = 10.5 * vg.Centimeter
	inlineHeight = 0.8  // of the height in files without title and caption
	inlineUnit   = 0.92 // of the style
)

// Inline returns the figure as an <svg> element as wide as its parent, with the page's font and the colours of CSS. It
// needs no style attribute or script, which a policy may forbid. Screen readers find title and caption in it.
func (f Figure) Inline() (svg string, err error) {
	defer f.recovered(&err)
	size := f.Size
	if size == (Size{}) {
		size = Page
	}
	size.Width, size.Height = inlineWidth*size.Width/Page.Width, inlineHeight*(size.Height-1.2*vg.Centimeter)
	c := newSVGCanvas(size)
	f.drawBody(draw.Crop(draw.New(c), 2, -4, 1, -2), Style{Unit: inlineUnit})
	pairs := []string{`xlink:href="`, `href="`}
	for _, t := range theme {
		pairs = append(pairs, `"`+hex(t.light)+`"`, fmt.Sprintf(`"var(--fig-%s,%s)"`, t.name, hex(t.light)))
	}
	drawn := strings.NewReplacer(pairs...).Replace(c.out.String())
	h := fnv.New32a() // figures of one name differ in caption or drawing
	h.Write([]byte(f.Title + "\n" + f.Description() + "\n" + drawn))
	id := fmt.Sprintf("fig-%s-%08x", format.FileName(f.Name), h.Sum32())
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 %d %d" role="img" aria-labelledby="%[3]s-title %[3]s-desc">
<title id="%[3]s-title">%[4]s</title>
<desc id="%[3]s-desc">%[5]s</desc>
%[6]s</svg>
`, units(size.Width), units(size.Height), id, escaped(f.Title), escaped(f.Description()), drawn), nil
}

// theme has the CSS variables --fig-NAME of the palette, with their values on light and on dark ground.
var theme = []struct {
	name        string
	light, dark color.NRGBA
}{
	{"bg", Paper, color.NRGBA{0x17, 0x19, 0x1c, 0xff}},
	{"fg", Ink, color.NRGBA{0xe8, 0xe8, 0xe8, 0xff}},
	{"muted", Faint, color.NRGBA{0xa6, 0xaa, 0xae, 0xff}},
	{"grid", Hairline, color.NRGBA{0x38, 0x3c, 0x41, 0xff}},
	{"blue", Blue, color.NRGBA{0x4f, 0xa8, 0xe0, 0xff}},
	{"vermillion", Vermillion, color.NRGBA{0xf5, 0x8a, 0x42, 0xff}},
	{"green", Green, color.NRGBA{0x3c, 0xc9, 0x9e, 0xff}},
	{"purple", Reddish, color.NRGBA{0xe8, 0xa0, 0xca, 0xff}},
	{"orange", Orange, color.NRGBA{0xf2, 0xbd, 0x4b, 0xff}},
	{"sky", Sky, color.NRGBA{0xa5, 0xdb, 0xfa, 0xff}},
}

// CSS returns the style sheet of inline figures: their colours for light and dark ground, by the reader's preference or
// by data-theme at any element around them. On paper they are light. A page of another ground sets --fig-bg after it.
func CSS() string {
	var light, dark string
	for _, t := range theme {
		light, dark = light+";--fig-"+t.name+":"+hex(t.light), dark+";--fig-"+t.name+":"+hex(t.dark)
	}
	return fmt.Sprintf(`:root,[data-theme=light]{%s}
@media (prefers-color-scheme:dark){:root:not([data-theme]){%s}}
[data-theme=dark]{%s}
@media print{:root,:root:not([data-theme]),[data-theme]{%s}}
svg.figure{display:block;width:100%%;height:auto}
`, light[1:], dark[1:], dark[1:], light[1:])
}
