package report

import (
	"math"

	"imdbexp/report/stats"
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
	const negligible = 1e-3      // weight of missing epochs in a smoothed end
	epochs, _ := r.Run.Metrics() // the run has a note on an error
	e, n, missing := Ends{math.NaN(), math.NaN()}, len(epochs), -1
	values := make([]float64, n)
	for i := range epochs {
		if values[i] = epochs[i].Get(key); math.IsNaN(values[i]) {
			missing = i // the last one
		}
	}
	if n > 0 && (missing < 0 || math.Pow(weight, float64(n-1-missing)) < negligible) {
		e.Smoothed = Smooth(values, weight)[n-1]
	}
	if last := values[max(0, n-LastEpochs):]; n >= LastEpochs && missing < n-LastEpochs {
		e.Last = stats.Summarise(last).Mean
	}
	return e
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
