package canvas

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// The minimum span of an axis. A run at chance moves by thousandths, which would look like
// learning on a shorter axis.
const (
	LeastLoss     = 0.1 // nats
	LeastAccuracy = 10  // points
)

// Ticks places at most N + 1 labelled ticks at round values (1, 2 or 5 times a
// power of ten) and none between.
type Ticks struct{ N int }

// Ticks implements plot.Ticker.
func (t Ticks) Ticks(low, high float64) []plot.Tick {
	step, decimals := NiceStep(high-low, t.N)
	if step == 0 {
		return nil
	}
	var out []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		v := i*step + 0 // no negative zero
		out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', decimals, 64)})
	}
	return out
}

// NiceStep returns the smallest step (1, 2 or 5 times a power of ten) that fits at most n
// times into the span, and the decimals that it needs. It returns 0 for a span that is
// empty or not finite.
func NiceStep(span float64, n int) (step float64, decimals int) {
	if !(span > 0) || math.IsInf(span, 0) || n < 1 {
		return 0, 0
	}
	for exponent := -9; exponent <= 15; exponent++ {
		for _, m := range []float64{1, 2, 5} {
			if step = m * math.Pow10(exponent); span/step <= float64(n)+1e-9 {
				return step, max(0, -exponent)
			}
		}
	}
	return 0, 0
}

// EpochTicks returns whole epochs: the first, round ones, and the last unless a
// round one is close.
func EpochTicks(first, last, n int) []int {
	step, _ := NiceStep(float64(last-first), n)
	every := max(1, int(step))
	out := []int{first}
	for e := (first/every + 1) * every; e < last; e += every {
		if e-first >= (every+1)/2 && last-e >= (every+1)/2 {
			out = append(out, e)
		}
	}
	if last > first {
		out = append(out, last)
	}
	return out
}

// WholeTicks labels whole numbers, each at its value times sign.
func WholeTicks(epochs []int, sign float64) plot.ConstantTicks {
	var out plot.ConstantTicks
	for _, e := range epochs {
		out = append(out, plot.Tick{Value: sign * float64(e), Label: strconv.Itoa(e)})
	}
	return out
}

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
