package stats

import (
	"errors"
	"math"
)

// ResampledMethod names the test and the interval of Resampled.
const ResampledMethod = "corrected resampled t-test (Nadeau and Bengio 2003)"

// Resampled estimates the mean of a number, such as a difference of accuracies, that was measured
// once for each of J random divisions of the same data into train and test:
//
//	t = mean / √((1/J + n₂/n₁)·σ²),  J − 1 degrees of freedom
//
// n₂/n₁, the ratio, is the number of test texts over that of training texts, and σ² the variance over
// the divisions. Train and test sets of different divisions overlap, so σ²/J would be far too small
// (Nadeau and Bengio 2003, "Inference for the generalization error", section 3). It returns an error
// for fewer than two values, and if all are equal and not 0: their variance is not known then.
func Resampled(values []float64, ratio float64) (Estimate, error) {
	m, variance := moments(values)
	switch {
	case len(values) < 2:
		return Estimate{}, errors.New("two divisions of the data or more are needed")
	case !(ratio > 0) || math.IsNaN(variance) || math.IsInf(ratio+variance, 0):
		return Estimate{}, errors.New("numbers of divisions and the ratio of test to train must be finite")
	case variance == 0 && m != 0:
		return Estimate{}, errors.New("all divisions of the data give the same number, so nothing is known of its variance; run more divisions")
	case m == 0 && variance == 0:
		return Estimate{P: 1}, nil
	}
	freedom := float64(len(values) - 1)
	deviation := math.Sqrt((1/float64(len(values)) + ratio) * variance)
	half := quantile(1-Level, freedom) * deviation
	return Estimate{Difference: m, Interval: Interval{m - half, m + half}, P: exceeds(math.Abs(m)/deviation, freedom)}, nil
}
