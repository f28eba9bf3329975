package stats

import (
	"math"
	"slices"
)

// Moments sums up one number over the seeds of one setting.
type Moments struct {
	N    int     // values that went in
	Mean float64 // NaN when N is 0
	SD   float64 // sample standard deviation (n − 1); NaN when N < 2
}

// Summarise returns the moments of the values, summed in the order given (two
// passes, to keep the digits of close values). NaNs are skipped.
func Summarise(values []float64) Moments {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	mean, variance := moments(values)
	return Moments{len(values), mean, math.Sqrt(variance)}
}

// Median returns the middle value, or the mean of the two middle values if their number is
// even. It is NaN without values.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// EqualParts calls part with at most parts ranges that cover 0 … n−1 in order, each of
// n/parts items. A range is extended as long as same(i, j) holds across its end.
func EqualParts(n, parts int, same func(i, j int) bool, part func(from, to int)) {
	from := 0
	for i := range parts {
		to := (i + 1) * n / parts
		if to <= from {
			continue // the part before took these, or there are fewer items than parts
		}
		for to < n && same(to-1, to) {
			to++
		}
		part(from, to)
		from = to
	}
}

// TInterval returns the mean of values and its 95 % interval by Student's distribution
// (Student 1908), such as the mean over a few seeds as an estimate of the mean over all
// seeds. The interval is NaN unless there are at least two values, all finite.
func TInterval(values []float64) (mean float64, interval Interval) {
	mean, variance := moments(values)
	half := math.NaN()
	if n := float64(len(values)); n > 1 {
		half = quantile(1-Level, n-1) * math.Sqrt(variance/n)
	}
	return mean, Interval{mean - half, mean + half}
}

// OverSeeds returns the mean of a number measured for a few seeds on the same reviews, and
// an interval over both seeds and reviews. own holds each seed's 95 % interval over the
// reviews. Each half of the result is the root of the sum of two squares: of Student's half
// over the seeds (TInterval), and of the mean half of the seeds' own intervals. All seeds
// share the error of the sampled reviews, so more seeds do not reduce it. If a seed's own
// interval is NaN, only the interval over the seeds counts; a single seed has only its own.
// The interval is cut to within, the possible range of the number, because Student's distribution is unbounded.
func OverSeeds(values []float64, own []Interval, within Interval) (mean float64, interval Interval) {
	if len(values) == 1 {
		return values[0], own[0]
	}
	mean, seeds := TInterval(values)
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
	return mean, Interval{mean - side(mean-seeds.Low, below), mean + side(seeds.High-mean, above)}.Within(within)
}

// moments returns the mean and the sample variance, summed in order; NaN for too few values.
func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(max(0, len(values)-1))
}
