package term

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
)

// Depth is how many colours an output takes.
type Depth int

// The depths that shading tells apart. A terminal of 16 colours counts as one
// without: their look is the user's choice, and no scale can be made of them.
const (
	Mono      Depth = iota
	Colors256       // the 6×6×6 cube and 24 greys of xterm
	TrueColor       // 24 bits
)

// Depth returns how many colours the output takes, by COLORTERM and TERM.
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

// Shade returns the text on a ground that shows a strength from 0 (as it was) to
// 1. The text on it is black: the scale goes from grey to orange at one lightness,
// so that it reads alike on dark and on light terminals. Without colour the text
// is put into brackets: [one] from 1/5 on, [[two]] from 3/5, [[[three]]] at 1.
func (t *IO) Shade(strength float64, text string) string { return t.shade(warm, strength, text) }

// ShadeAgainst is Shade for what counts the other way: from grey to blue, and without
// colour in braces.
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
		if strength >= from-1e-9 { // a rounding of log₂ below a power of two
			n++
		}
	}
	return strings.Repeat(by.marks[:1], n) + text + strings.Repeat(by.marks[1:], n)
}

// Underline marks a text: by a line below it, or without colour by a tilde before
// it.
func (t *IO) Underline(text string) string {
	if text == "" {
		return text
	}
	if !t.color {
		return "~" + text
	}
	// The line ends where the text does; a style inside goes on.
	return Style("4").On(strings.ReplaceAll(text, styleEnd, ""))
}

// scale is the colours of shades, all of a lightness of about 68 (CIE L*): black on them
// has a contrast of 8:1.
type scale struct {
	stops   [5][3]float64
	palette [6]int // colours of xterm near those, one for each fifth of the scale and one for its end
	marks   string // before and behind a text without colour
}

// Orange and blue are told apart by all who see colours at all. Of the palette the
// nearest ones by their numbers would turn green half-way.
var (
	warm = scale{[5][3]float64{{165, 165, 165}, {186, 162, 122}, {212, 152, 76}, {240, 138, 36}, {255, 124, 0}}, [6]int{247, 180, 179, 178, 172, 208}, "[]"}
	cold = scale{[5][3]float64{{165, 165, 165}, {140, 170, 190}, {112, 173, 212}, {82, 176, 234}, {40, 178, 255}}, [6]int{247, 109, 110, 74, 75, 39}, "{}"}
)

// at returns the colour at t of 0 … 1.
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
