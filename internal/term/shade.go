package term

import (
	"fmt"
	"strings"
)

// Shade returns the text on a background that shows a strength from 0 (unchanged) to
// 1. The text is black and the background goes from grey to orange at about the same lightness,
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
	if t.color {
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

// scale holds the colours of shades, from the palette of 256 colours, one for each fifth of the scale
// and one for its end. They give black text a contrast of 7:1 or more. Colour-blind readers can
// distinguish orange and blue.
type scale struct {
	palette [6]int
	marks   string // the brackets around a text without colour
}

var (
	warm = scale{[6]int{247, 180, 179, 178, 172, 208}, "[]"}
	cold = scale{[6]int{247, 109, 110, 74, 75, 39}, "{}"}
)
