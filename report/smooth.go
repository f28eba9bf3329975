package report

import (
	"math"
	"slices"
)

// LastEpochs is over how many epochs Ends takes the mean.
const LastEpochs = 5

// Ends is how the curves of a run end: Smoothed is the last value of the smoothed curve,
// see Smooth, and Last the mean of the last epochs. A curve that lacks an epoch, as of a run
// that was tested every fourth, has no Smoothed, for a weight is one from epoch to epoch;
// where one of the last epochs is missing there is no Last. Both are NaN then.
type Ends struct{ Smoothed, Last Numbers }

// Ends reads the curves of the run, up to its last epoch.
func (r *Result) Ends(weight float64) (Ends, error) {
	epochs, err := r.Run.Metrics()
	var e Ends
	each := func(to func(*Ends) (smoothed, last *float64), of func(Numbers) float64) {
		smoothed, last := to(&e)
		values := make([]float64, len(epochs))
		for i := range epochs {
			values[i] = of(NumbersOf(&epochs[i]))
		}
		*smoothed, *last = math.NaN(), math.NaN()
		if n := len(values); n > 0 && !slices.ContainsFunc(values, math.IsNaN) {
			*smoothed = Smooth(values, weight)[n-1]
		}
		if n := len(values); n >= LastEpochs {
			*last = mean(values[n-LastEpochs:])
		}
	}
	each(func(e *Ends) (_, _ *float64) { return &e.Smoothed.TrainLoss, &e.Last.TrainLoss }, func(n Numbers) float64 { return n.TrainLoss })
	each(func(e *Ends) (_, _ *float64) { return &e.Smoothed.TestLoss, &e.Last.TestLoss }, func(n Numbers) float64 { return n.TestLoss })
	each(func(e *Ends) (_, _ *float64) { return &e.Smoothed.TrainAcc, &e.Last.TrainAcc }, func(n Numbers) float64 { return n.TrainAcc })
	each(func(e *Ends) (_, _ *float64) { return &e.Smoothed.TestAcc, &e.Last.TestAcc }, TestAcc)
	return e, err
}

// Smooth returns TensorBoard's exponential mean of a curve, begun at zero and corrected
// for it; what is NaN stays so and counts for nothing:
//
//	mₜ = w·mₜ₋₁ + (1−w)·xₜ,  x̂ₜ = mₜ/(1−wᵗ)
func Smooth(values []float64, weight float64) []float64 {
	out := make([]float64, len(values))
	m, n := 0.0, 0.0
	for i, v := range values {
		if math.IsNaN(v) {
			out[i] = v
			continue
		}
		m, n = weight*m+(1-weight)*v, n+1
		out[i] = m / (1 - math.Pow(weight, n))
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
