package stats

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// PairedMethod names the test and the interval of Paired.
const PairedMethod = "McNemar's test (score)"

// Paired estimates the difference of two accuracies on the same n items: (c − b)/n, positive
// when the second is better. Only the first is right on b items and only the second on c.
// Test and interval agree: P comes from the score test of no difference,
//
//	z = (c − b) / √(b + c)
//
// (McNemar 1947, without a correction: Fagerland, Lydersen and Laake 2013, "The McNemar
// test for binary matched-pairs data", find that it keeps its level where the exact test
// and the corrected one are far below theirs), and the interval holds the differences
// that the score test does not reject (Tango 1998, "Equivalence test and confidence
// interval for the difference in proportions for the paired-sample design"). So it holds 0
// exactly when P is 1 − Level or more, and swapping the sides only changes the signs.
func Paired(n, b, c int) Estimate {
	e := Estimate{Difference: float64(c-b) / float64(n), P: math.Erfc(math.Abs(score(n, b, c, 0)) / math.Sqrt2)}
	significant := e.P < 1-Level
	e.Interval = Interval{-largest(n, c, b, significant), largest(n, b, c, significant)}
	return e
}

// score returns by how many standard errors c − b is above n·difference. The standard error
// is taken at the most likely proportions with that difference, which is from 0 to 1: Tango
// 1998, equations 24 to 26.
func score(n, b, c int, difference float64) float64 {
	all, first, second := float64(n), float64(b), float64(c)
	above := second - first - float64(all*difference)
	if above == 0 {
		return 0
	}
	// q, the proportion on which only the first is right, solves 2n·q² + linear·q = constant.
	linear := float64((2*all-second+first)*difference) - first - second
	constant := float64(first*difference) * (1 - difference)
	q := (math.Sqrt(float64(linear*linear)+8*all*constant) - linear) / (4 * all)
	return above / math.Sqrt(all*(2*q+float64(difference*(1-difference))))
}

// largest returns the largest difference that the score test does not reject; below 0
// only where it rejects 0 and c is the smaller count.
func largest(n, b, c int, significant bool) float64 {
	rejects := func(d float64) bool {
		if d < 0 { // swap the sides
			return score(n, c, b, -d) > z95
		}
		return score(n, b, c, d) < -z95
	}
	low, high := max(0, float64(c-b)/float64(n)), 1.0
	if significant && c < b {
		low, high = float64(c-b)/float64(n), 0
	}
	if high == 1 && !rejects(1) {
		return 1
	}
	for { // the score falls as the difference rises
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return low
		}
		if rejects(middle) {
			high = middle
		} else {
			low = middle
		}
	}
}

// Holm returns the p values adjusted for multiple tests. Calling those below 0.05
// significant has a family-wise error rate of at most 5 %, whatever the dependence between
// the tests. In ascending order the i-th of m is multiplied by m − i + 1, and none is less
// than the one before it. Holm 1979, "A simple sequentially rejective multiple test
// procedure".
func Holm(p []float64) []float64 {
	out, adjusted := make([]float64, len(p)), 0.0
	for rank, i := range Order(len(p), func(a, b int) int { return cmp.Compare(p[a], p[b]) }) {
		adjusted = max(adjusted, min(1, float64(len(p)-rank)*p[i]))
		out[i] = adjusted
	}
	return out
}

// Order returns the indices 0 … n−1 in the order of compare; equal ones keep theirs.
func Order(n int, compare func(i, j int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

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
