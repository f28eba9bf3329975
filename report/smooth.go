package report

import (
	"math"
	"slices"
)

// LastEpochs is the number of epochs that Ends averages.
const LastEpochs = 5

// Ends is the ends of a run's curve. Smoothed is the last value of the smoothed curve (see Smooth),
// Last the mean of the last epochs. Last is NaN if one of these epochs is missing, as in a run that
// is tested every fourth epoch. Smoothed is NaN if the missing epochs, and all before them, would
// weigh a thousandth or more in it.
type Ends struct{ Smoothed, Last float64 }

// Ends returns those of the curve of a metric, up to the last epoch that can be read.
func (r *Result) Ends(key string, weight float64) Ends {
	epochs, _ := r.Run.Metrics() // the run has a note on an error
	e := Ends{math.NaN(), math.NaN()}
	values := make([]float64, len(epochs))
	for i := range epochs {
		values[i] = epochs[i].Get(key)
	}
	n, missing := len(values), lastMissing(values)
	if n > 0 && (missing < 0 || math.Pow(weight, float64(n-1-missing)) < negligible) {
		e.Smoothed = Smooth(values, weight)[n-1]
	}
	if n >= LastEpochs {
		e.Last = mean(values[n-LastEpochs:])
	}
	return e
}

// negligible is the weight in a smoothed end that missing epochs may have.
const negligible = 1e-3

// lastMissing returns the last index without a number, or -1.
func lastMissing(values []float64) int {
	for i, v := range slices.Backward(values) {
		if math.IsNaN(v) {
			return i
		}
	}
	return -1
}

// Smooth returns TensorBoard's exponential mean of a curve, begun at zero and corrected
// for it:
//
//	mₜ = w·mₜ₋₁ + (1−w)·xₜ,  x̂ₜ = mₜ/(1−wᵗ)
//
// NaNs stay NaN. A value after d−1 NaNs counts for all d epochs: wᵈ takes the place of w,
// which stays the weight from epoch to epoch.
func Smooth(values []float64, weight float64) []float64 {
	out := make([]float64, len(values))
	m, rest, before := 0.0, 1.0, -1 // rest is wᵗ
	for i, v := range values {
		if math.IsNaN(v) {
			out[i] = v
			continue
		}
		w := math.Pow(weight, float64(i-before))
		m, rest, before = w*m+(1-w)*v, w*rest, i
		out[i] = m / (1 - rest)
	}
	return out
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
