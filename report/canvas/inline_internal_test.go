package canvas

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func TestThemed(t *testing.T) {
	for _, c := range []struct {
		colour  color.Color
		css     string
		opacity float64
	}{
		{Blue, "var(--fig-blue,#0072b2)", 1},
		{color.White, "var(--fig-bg,#ffffff)", 1},
		{Translucent(Green), "var(--fig-green,#009e73)", 56.0 / 255},
		{Tint(Vermillion, 0.5), "color-mix(in srgb,var(--fig-vermillion,#d55e00) 50%,var(--fig-bg,#ffffff))", 1},
		{color.NRGBA{1, 2, 3, 255}, "#010203", 1},
		{color.Transparent, "#000000", 0},
	} {
		css, opacity := themed(c.colour)
		if c.opacity > 0 {
			assert.Equal(t, c.css, css)
		}
		assert.InDelta(t, c.opacity, opacity, 1e-9)
	}
}

// Text stands out from the ground by 4.5 to 1 and lines on dark ground by 3 to 1
// (WCAG 2.2, 1.4.3 and 1.4.11).
func TestThemeContrast(t *testing.T) {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s > 0.04045 {
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	luminance := func(c color.NRGBA) float64 {
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	contrast := func(a, b color.NRGBA) float64 {
		x, y := luminance(a), luminance(b)
		return (max(x, y) + 0.05) / (min(x, y) + 0.05)
	}
	ground := theme[0]
	for _, c := range theme[1:] {
		switch c.name {
		case "grid":
			continue
		case "fg", "muted":
			assert.GreaterOrEqual(t, contrast(c.light, ground.light), 4.5, c.name)
			assert.GreaterOrEqual(t, contrast(c.dark, ground.dark), 4.5, c.name)
		default:
			assert.GreaterOrEqual(t, contrast(c.dark, ground.dark), 3.0, c.name)
		}
	}
}

func TestInlineCanvas(t *testing.T) {
	size := Size{Width: 100, Height: 50}
	written := func(paint func(c *draw.Canvas)) string {
		c := newSVGCanvas(size)
		d := draw.New(c)
		paint(&d)
		return strings.TrimSpace(c.out.String())
	}
	var turn, shapes vg.Path
	turn.Move(vg.Point{X: 30, Y: 20})
	turn.Arc(vg.Point{X: 20, Y: 20}, 10, 0, 2*math.Pi)
	turn.Close()
	shapes.Move(vg.Point{X: 0, Y: 0})
	shapes.QuadTo(vg.Point{X: 1, Y: 1}, vg.Point{X: 2, Y: 0})
	shapes.CubeTo(vg.Point{X: 1, Y: 0}, vg.Point{X: 1, Y: 1}, vg.Point{X: 3, Y: 0})
	st := Page.Style().Text(8, Ink)
	st.Rotation = math.Pi / 2
	for name, c := range map[string]struct {
		paint func(c *draw.Canvas)
		want  string
	}{
		"y points down": {func(c *draw.Canvas) {
			c.StrokeLine2(draw.LineStyle{Color: Blue, Width: 1}, 10, 10, 20, 30)
		}, `<path d="M100 400l100-200" fill="none" stroke="var(--fig-blue,#0072b2)" stroke-width="10"/>`},
		"dashes": {func(c *draw.Canvas) {
			c.StrokeLine2(draw.LineStyle{Color: Blue, Width: 0.55, Dashes: []vg.Length{4.5, 2}, DashOffs: 1}, 0, 0, 1, 0)
		}, `<path d="M0 500l10 0" fill="none" stroke="var(--fig-blue,#0072b2)" stroke-width="5.5" stroke-dasharray="45 20" stroke-dashoffset="10"/>`},
		"no width": {func(c *draw.Canvas) { c.StrokeLine2(draw.LineStyle{Color: Blue}, 0, 0, 1, 0) }, ""},
		"a whole turn is two arcs": {func(c *draw.Canvas) { c.SetColor(Ink); c.Fill(turn) },
			`<path d="M300 300A100 100 0 0 0 100 300 100 100 0 0 0 300 300Z" fill="var(--fig-fg,#222222)"/>`},
		"curves": {func(c *draw.Canvas) { c.SetColor(Ink); c.Fill(shapes) },
			`<path d="M0 500Q10 490 20 500C10 500 10 490 30 500" fill="var(--fig-fg,#222222)"/>`},
		"moved and scaled, then restored": {func(c *draw.Canvas) {
			c.Push()
			c.Translate(vg.Point{X: 10, Y: 10})
			c.Scale(2, 2)
			c.StrokeLine2(draw.LineStyle{Color: Ink, Width: 1}, 0, 0, 5, 0)
			c.Pop()
			c.StrokeLine2(draw.LineStyle{Color: Ink, Width: 1}, 0, 0, 5, 0)
		}, `<path d="M100 400l100 0" fill="none" stroke="var(--fig-fg,#222222)" stroke-width="10"/>` + "\n" +
			`<path d="M0 500l50 0" fill="none" stroke="var(--fig-fg,#222222)" stroke-width="10"/>`},
		"upright text": {func(c *draw.Canvas) { c.FillText(st, vg.Point{X: 50, Y: 10}, "a<b") },
			fmt.Sprintf(`<text transform="translate(500 400) rotate(-90.00)" font-size="80" fill="var(--fig-fg,#222222)" textLength="%d" lengthAdjust="spacingAndGlyphs">a&lt;b</text>`,
				units(Page.Style().Text(8, Ink).Width("a<b")))},
	} {
		got := written(c.paint)
		if name == "upright text" { // where its baseline lies is the font's
			got = regexp.MustCompile(`translate\(\d+ \d+\)`).ReplaceAllString(got, "translate(500 400)")
		}
		assert.Equal(t, c.want, got, name)
	}
}
