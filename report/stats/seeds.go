package stats

import (
	"fmt"
	"math"
)

// TInterval returns the mean of values and its 95 % interval by Student's distribution
// (Student 1908), such as the mean over a few seeds as an estimate of the mean over all
// seeds. It returns an error unless there are at least two values, all finite.
func TInterval(values []float64) (mean float64, interval Interval, err error) {
	mean, variance := moments(values)
	if len(values) < 2 || math.IsNaN(variance) || math.IsInf(variance, 0) {
		return mean, Interval{}, fmt.Errorf("t interval: want two values or more, all finite")
	}
	half := quantile(1-Level, float64(len(values)-1)) * math.Sqrt(variance/float64(len(values)))
	return mean, Interval{mean - half, mean + half}, nil
}

// OverSeeds returns the mean of a number measured for a few seeds on the same reviews, and
// an interval over both seeds and reviews. own holds each seed's 95 % interval over the
// reviews. Each half of the result is the root of the sum of two squares: of Student's half
// over the seeds (TInterval), and of the mean half of the seeds' own intervals. All seeds
// share the error of the sampled reviews, so more seeds do not reduce it. If a seed's own
// interval is NaN, only the interval over the seeds counts. The interval is cut to within,
// the possible range of the number, because Student's distribution is unbounded.
func OverSeeds(values []float64, own []Interval, within Interval) (mean float64, interval Interval, err error) {
	mean, seeds, err := TInterval(values)
	if err != nil {
		return mean, Interval{}, err
	}
	var below, above float64
	for i, v := range values {
		below += (v - own[i].Low) / float64(len(values))
		above += (own[i].High - v) / float64(len(values))
	}
	side := func(half, reviews float64) float64 {
		if math.IsNaN(reviews) {
			return half
		}
		return math.Hypot(half, reviews)
	}
	return mean, Interval{mean - side(mean-seeds.Low, below), mean + side(seeds.High-mean, above)}.Within(within), nil
}

// moments returns the mean and the sample variance, summed in order; the variance
// of fewer than two values is 0.
func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(max(1, len(values)))
	if len(values) < 2 {
		return mean, 0
	}
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(values)-1)
}
