package term

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
)

// Depth is the colour depth of an output.
type Depth int

// The depths that shading distinguishes. A terminal with 16 colours counts as Mono: the
// user chooses how they look, so they cannot form a scale.
const (
	Mono      Depth = iota
	Colors256       // the 6×6×6 cube and 24 greys of xterm
	TrueColor       // 24 bits
)

// Depth returns the colour depth of the output, by COLORTERM and TERM.
func (t *IO) Depth() Depth {
	if !t.color {
		return Mono
	}
	return depth(os.Getenv("COLORTERM"), os.Getenv("TERM"), runtime.GOOS)
}

func depth(colorterm, term, system string) Depth {
	switch {
	case colorterm == "truecolor" || colorterm == "24bit" || strings.HasSuffix(term, "-direct"):
		return TrueColor
	case system == "windows" && term == "": // its console has had them since Windows 10
		return TrueColor
	case strings.Contains(term, "256color"):
		return Colors256
	}
	return Mono
}

// Shade returns the text on a background that shows a strength from 0 (unchanged) to
// 1. The text is black and the background goes from grey to orange at constant lightness,
// which is readable on dark and on light terminals. Without colour the text
// is put into brackets: [one] from 1/5 on, [[two]] from 3/5, [[[three]]] at 1.
func (t *IO) Shade(strength float64, text string) string { return t.shade(warm, strength, text) }

// ShadeAgainst is Shade for the opposite sign: from grey to blue, and in braces without
// colour.
func (t *IO) ShadeAgainst(strength float64, text string) string { return t.shade(cold, strength, text) }

func (t *IO) shade(by scale, strength float64, text string) string {
	if text == "" || !(strength > 0) {
		return text
	}
	switch t.Depth() {
	case TrueColor:
		c := by.at(min(1, strength))
		return Style(fmt.Sprintf("38;2;0;0;0;48;2;%d;%d;%d", c[0], c[1], c[2])).On(text)
	case Colors256:
		return Style(fmt.Sprintf("38;5;16;48;5;%d", by.palette[min(int(5*strength+1e-9), 5)])).On(text)
	}
	n := 0
	for _, from := range [...]float64{0.2, 0.6, 1} {
		if strength >= from-1e-9 { // log₂ may round to just below a power of two
			n++
		}
	}
	return strings.Repeat(by.marks[:1], n) + text + strings.Repeat(by.marks[1:], n)
}

// Underline underlines a text. Without colour it puts a tilde before it.
func (t *IO) Underline(text string) string {
	if text == "" {
		return text
	}
	if !t.color {
		return "~" + text
	}
	// A style inside the text must not end the underline early.
	return Style("4").On(strings.ReplaceAll(text, styleEnd, ""))
}

// scale holds the colours of shades. All have a lightness of about 68 (CIE L*), which
// gives black text a contrast of 8:1.
type scale struct {
	stops   [5][3]float64
	palette [6]int // similar xterm colours, one for each fifth of the scale and one for its end
	marks   string // the brackets around a text without colour
}

// Colour-blind readers can distinguish orange and blue. The palette entries are picked by
// hand: the numerically nearest ones turn green half-way.
var (
	warm = scale{[5][3]float64{{165, 165, 165}, {186, 162, 122}, {212, 152, 76}, {240, 138, 36}, {255, 124, 0}}, [6]int{247, 180, 179, 178, 172, 208}, "[]"}
	cold = scale{[5][3]float64{{165, 165, 165}, {140, 170, 190}, {112, 173, 212}, {82, 176, 234}, {40, 178, 255}}, [6]int{247, 109, 110, 74, 75, 39}, "{}"}
)

// at returns the colour at t from 0 to 1.
func (s *scale) at(t float64) [3]int {
	at := t * float64(len(s.stops)-1)
	i := min(int(at), len(s.stops)-2)
	var c [3]int
	for k := range c {
		a, b := s.stops[i][k], s.stops[i+1][k]
		c[k] = int(math.Round(a + (at-float64(i))*(b-a)))
	}
	return c
}
