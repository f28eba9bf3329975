package stats

import (
	"fmt"
	"math"
)

// TInterval returns the mean of values and its 95 % interval by Student's
// distribution: what a few seeds say about the mean over all seeds. Student 1908.
// It is an error unless there are two values or more, all finite.
func TInterval(values []float64) (mean float64, interval Interval, err error) {
	mean, variance := moments(values)
	if len(values) < 2 || math.IsNaN(variance) || math.IsInf(variance, 0) {
		return mean, Interval{}, fmt.Errorf("t interval: want two values or more, all finite")
	}
	half := t95(float64(len(values)-1)) * math.Sqrt(variance/float64(len(values)))
	return mean, Interval{mean - half, mean + half}, nil
}

// OverSeeds returns the mean of what a few seeds have come to on the same reviews, each
// with its own 95 % interval over them, and an interval that knows both: on either side the
// root of the sum of the squares of Student's half over the seeds (TInterval) and of the
// mean distance to the end of a seed's own interval. What the drawn reviews are off by all
// seeds share, so that seeds alone show nothing of it, nor is it less for more of them.
// Where a seed has no own interval, NaN, that over the seeds is all there is. Student's
// distribution knows no bounds: the interval ends where within does, the range of the number.
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
