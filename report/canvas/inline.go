package canvas

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
)

// Inline figures are narrower and taller than Page. Their text stays readable on a phone,
// which shows them at half the size.
const (
	inlineWidth  = 12 * vg.Centimeter
	inlineHeight = 0.8  // of the height in files without title and caption
	inlineUnit   = 0.92 // of the style
)

// Inline returns the figure as an <svg> element for an HTML page. It is as wide as its
// parent element and uses the page's font and the colours of CSS (without that sheet, the
// light ones). It needs no style attribute or script, which a content security policy may
// forbid. Title and caption are not drawn, because the page shows them as text; they are in
// <title> and <desc> for screen readers.
func (f Figure) Inline() (svg string, err error) {
	defer f.recovered(&err)
	size := f.Size
	if size == (Size{}) {
		size = Page
	}
	size.Width, size.Height = inlineWidth*size.Width/Page.Width, inlineHeight*(size.Height-1.2*vg.Centimeter)
	c := newSVGCanvas(size)
	body := draw.Crop(draw.New(c), 2, -4, 1, -2)
	f.drawBody(body, Style{Unit: inlineUnit})
	h := fnv.New32a() // figures of one name differ in caption or drawing
	h.Write([]byte(f.Title + "\n" + f.Caption + "\n" + c.out.String()))
	id := fmt.Sprintf("fig-%s-%08x", format.FileName(f.Name), h.Sum32())
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 %d %d" role="img" aria-labelledby="%[3]s-title %[3]s-desc">
<title id="%[3]s-title">%[4]s</title>
<desc id="%[3]s-desc">%[5]s</desc>
%[6]s</svg>
`, units(size.Width), units(size.Height), id, escaped(f.Title), escaped(f.Caption), c.out.String()), nil
}

// themeColour is a colour of the palette as a page sees it: the CSS variable
// --fig-NAME, with its values on light and on dark ground.
type themeColour struct {
	name        string
	light, dark color.NRGBA
}

// The first two are the ends between which greys lie. On dark ground the hues are
// lighter by about as much as the ground is darker, and keep their order.
var theme = []themeColour{
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

// themed returns a colour as CSS writes it, and its opacity. Colours of the palette
// become variables with the light value as the fallback, and tints of them become mixtures with
// the background. Other colours are unchanged.
func themed(c color.Color) (css string, opacity float64) {
	if c == nil {
		c = color.Black
	}
	if t, ok := c.(tint); ok {
		base, _ := themed(t.base)
		return fmt.Sprintf("color-mix(in srgb,%s %g%%,%s)", base, math.Round(1000*(1-t.white))/10, theme[0].css()), 1
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	opacity = float64(n.A) / 255
	n.A = 0xff
	for _, t := range theme {
		if t.light == n {
			return t.css(), opacity
		}
	}
	return hex(n), opacity
}

func (t themeColour) css() string { return fmt.Sprintf("var(--fig-%s,%s)", t.name, hex(t.light)) }

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// CSS returns the style sheet of inline figures: their colours as variables,
// for light and dark ground, by the reader's preference or by data-theme="light"
// or "dark" at any element around them. On paper they are light. A page whose own
// ground differs sets --fig-bg after it.
func CSS() string {
	light, dark := cssVariables(func(t themeColour) color.NRGBA { return t.light }), cssVariables(func(t themeColour) color.NRGBA { return t.dark })
	return fmt.Sprintf(`:root,[data-theme=light]{%s}
@media (prefers-color-scheme:dark){:root:not([data-theme]){%s}}
[data-theme=dark]{%s}
@media print{:root,:root:not([data-theme]),[data-theme]{%s}}
svg.figure{display:block;width:100%%;height:auto}
`, light, dark, dark, light)
}

func cssVariables(value func(themeColour) color.NRGBA) string {
	var out []string
	for _, t := range theme {
		out = append(out, "--fig-"+t.name+":"+hex(value(t)))
	}
	return strings.Join(out, ";")
}
