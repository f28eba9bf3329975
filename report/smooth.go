package report

import "math"

// LastEpochs is over how many epochs Ends takes the mean.
const LastEpochs = 5

// Ends is how the curves of a run end: Smoothed is the last value of the smoothed curve,
// see Smooth, and Last the mean of the last epochs. Epochs without a number are left out.
type Ends struct{ Smoothed, Last Numbers }

// Ends reads the curves of the run, up to its last epoch.
func (r *Result) Ends(weight float64) (Ends, error) {
	epochs, err := r.Run.Metrics()
	var e Ends
	each := func(to func(*Ends) (smoothed, last *float64), of func(Numbers) float64) {
		smoothed, last := to(&e)
		var values []float64
		for i := range epochs {
			if v := of(NumbersOf(&epochs[i])); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		*smoothed, *last = math.NaN(), mean(values[max(len(values)-LastEpochs, 0):])
		if s := Smooth(values, weight); len(s) > 0 {
			*smoothed = s[len(s)-1]
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
