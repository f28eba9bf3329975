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
	m := Moments{Mean: math.NaN(), SD: math.NaN()}
	var sum float64
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v
			m.N++
		}
	}
	if m.N == 0 {
		return m
	}
	m.Mean = sum / float64(m.N)
	if m.N < 2 {
		return m
	}
	var squares float64
	for _, v := range values {
		if !math.IsNaN(v) {
			d := v - m.Mean
			squares += float64(d * d)
		}
	}
	m.SD = math.Sqrt(squares / float64(m.N-1))
	return m
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
