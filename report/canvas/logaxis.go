package canvas

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// DecadeTicks places ticks at these multiples of the powers of ten; by default at 1, 2 and 5,
// or only at the powers if that gives many ticks.
type DecadeTicks []float64

// Ticks implements plot.Ticker; low and high are logarithms.
func (d DecadeTicks) Ticks(low, high float64) []plot.Tick {
	steps := []float64(d)
	if len(steps) == 0 {
		steps = []float64{1, 2, 5}
	}
	if high-low > 3 {
		steps = []float64{1}
	}
	const slack = 1e-9
	var out []plot.Tick
	for e := math.Floor(low); e <= high+slack; e++ {
		for _, m := range steps {
			if at := e + math.Log10(m); at >= low-slack && at <= high+slack {
				out = append(out, plot.Tick{Value: at, Label: plain(m * math.Pow(10, e))})
			}
		}
	}
	return out
}

// plain prints a number as people write it unless it is too long for an axis.
func plain(v float64) string {
	if v >= 1e7 || v < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -int(math.Floor(math.Log10(v)+1e-9))), 64)
}
