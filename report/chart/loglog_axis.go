package chart

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
)

// Logarithmic axes here are linear ones of logarithms, with ticks that name the
// numbers: gonum's plot.LogScale keeps room for an axis's name as if that stood at
// the middle of the numbers, near the axis's end.

// mostSizes is how many sizes fit on an axis.
const mostSizes = 10

// sizeTicks names the sizes themselves, of many every second, third, …
func sizeTicks(lines []LogLine) plot.ConstantTicks {
	var sizes []float64
	for _, l := range lines {
		sizes = append(sizes, l.X...)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	every := (len(sizes) + mostSizes - 1) / mostSizes
	var out plot.ConstantTicks
	for i := 0; i < len(sizes); i += every {
		out = append(out, plot.Tick{Value: math.Log10(sizes[i]), Label: strconv.FormatFloat(sizes[i], 'f', -1, 64)})
	}
	return out
}
