package chart

import (
	"image/color"
	"math"
)

// Two colour maps, both of a lightness that only rises or only falls: printed in
// grey a larger number is still a lighter cell (diverging) or a darker one
// (sequential), and no reader needs to tell red from green.
var (
	// diverging is cividis (Nuñez, Anderton and Renslow, PLoS ONE 2018): blue
	// below zero, grey at zero, yellow above it.
	diverging = []color.NRGBA{
		{0x00, 0x20, 0x4d, 0xff}, {0x00, 0x33, 0x6f, 0xff}, {0x39, 0x48, 0x6b, 0xff}, {0x57, 0x5c, 0x6d, 0xff}, {0x70, 0x71, 0x73, 0xff},
		{0x8a, 0x87, 0x79, 0xff}, {0xa6, 0x9d, 0x75, 0xff}, {0xc4, 0xb5, 0x6c, 0xff}, {0xe4, 0xcf, 0x5b, 0xff}, {0xff, 0xea, 0x46, 0xff},
	}
	// sequential is ColorBrewer's Blues of nine classes (Harrower and Brewer, The
	// Cartographic Journal 2003).
	sequential = []color.NRGBA{
		{0xf7, 0xfb, 0xff, 0xff}, {0xde, 0xeb, 0xf7, 0xff}, {0xc6, 0xdb, 0xef, 0xff}, {0x9e, 0xca, 0xe1, 0xff}, {0x6b, 0xae, 0xd6, 0xff},
		{0x42, 0x92, 0xc6, 0xff}, {0x21, 0x71, 0xb5, 0xff}, {0x08, 0x51, 0x9c, 0xff}, {0x08, 0x30, 0x6b, 0xff},
	}
)

// shades is the number of colours of a scale. The palette has one more entry, for NaN.
const shades = 255

// scale maps numbers from low to high to colours.
type scale struct {
	low, high float64
	diverging bool
}

// lopsided is the minimum ratio of the two sides of zero for the diverging map. Below it,
// half of the map would be unused.
const lopsided = 1.0 / 3

// newScale returns the scale of numbers between low and high. Where they spread to
// both sides of zero, that is the middle of the map and a step of the same size is
// the same step of colour on either side.
func newScale(low, high float64) scale {
	if !(high > low) {
		low, high = low-0.5, low+0.5
	}
	return scale{low, high, min(-low, high) > lopsided*max(-low, high)}
}

// palette returns the colours from low to high, and white for NaN.
func (s scale) palette() color.Palette {
	stops, from, to := sequential, 0.0, 1.0
	if s.diverging {
		m := 2 * max(-s.low, s.high)
		stops, from, to = diverging, 0.5+s.low/m, 0.5+s.high/m
	}
	var out color.Palette
	for i := range shades {
		out = append(out, between(stops, from+(to-from)*float64(i)/(shades-1)))
	}
	return append(out, color.White)
}

// index returns the index of a number in the palette.
func (s scale) index(v float64) uint8 {
	if math.IsNaN(v) {
		return shades
	}
	t := (v - s.low) / (s.high - s.low)
	return uint8(math.Round(min(1, max(0, t)) * (shades - 1)))
}

// between returns the colour at t of 0 … 1 on the way along the stops.
func between(stops []color.NRGBA, t float64) color.NRGBA {
	at := min(1, max(0, t)) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	f := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := stops[i], stops[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}
