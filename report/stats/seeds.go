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
