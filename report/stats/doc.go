// Package stats holds the statistics behind comparisons of runs: tests and
// intervals for accuracies on the same reviews, and corrections for many of them.
// It works on plain numbers and does not depend on runs.
//
// Proportions, differences and intervals are fractions (0.01 is a point), and levels
// are 95 % throughout. None of these numbers is stored in a run.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval, in the unit of its number.
type Interval struct{ Low, High float64 }

// Holds reports whether x is in the interval, its ends included.
func (i Interval) Holds(x float64) bool { return i.Low <= x && x <= i.High }

// Times returns the interval in another unit, such as percent for a factor of 100.
func (i Interval) Times(factor float64) Interval { return Interval{factor * i.Low, factor * i.High} }

// Within returns the interval cut to o, the range of the number.
func (i Interval) Within(o Interval) Interval {
	return Interval{max(i.Low, o.Low), min(i.High, o.High)}
}

// Negative returns the interval of the negative.
func (i Interval) Negative() Interval { return Interval{-i.High, -i.Low} }

// Level is the confidence level of every interval. A p below 1 − Level is significant.
const Level = 0.95

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// quantile returns the quantile of Student's distribution that a t of either sign exceeds with
// probability p.
func quantile(p, freedom float64) float64 {
	return -distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(p / 2)
}

// exceeds returns the probability that Student's distribution exceeds t, with either sign.
func exceeds(t, freedom float64) float64 {
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(t)
}

// Wilson returns the 95 % score interval of a proportion with hits in n trials: the
// set of true proportions that a two-sided normal test at 5 %
// does not reject. Unlike the textbook interval p ± 1.96 se it stays within
// [0, 1] and does not shrink to nothing at 0 or 1. hits need not be whole (the
// mean over seeds is not). It is NaN unless 0 ≤ hits ≤ n and n > 0. Wilson 1927; Newcombe 1998, method 3.
func Wilson(hits, n float64) Interval {
	if !(n > 0 && 0 <= hits && hits <= n) {
		return Interval{math.NaN(), math.NaN()}
	}
	p, zz := hits/n, float64(z95*z95)
	middle := p + zz/(2*n)
	half := z95 * math.Sqrt(float64(p*(1-p))/n+zz/(4*n*n))
	scale := 1 + zz/n
	return Interval{ // rounding must not move an end past p, which is the end at 0 and 1
		Low:  max(0, min(p, (middle-half)/scale)),
		High: min(1, max(p, (middle+half)/scale)),
	}
}

// Unpaired returns a 95 % interval of the difference p₁ − p₂ of two proportions
// that were measured on different items, such as the accuracies on train and on
// test. It combines their Wilson intervals: Newcombe 1998, "Interval estimation
// for the difference between independent proportions", method 10.
func Unpaired(hits1, n1, hits2, n2 float64) Interval {
	a, b, p1, p2 := Wilson(hits1, n1), Wilson(hits2, n2), hits1/n1, hits2/n2
	return Interval{
		Low:  p1 - p2 - math.Hypot(p1-a.Low, b.High-p2),
		High: p1 - p2 + math.Hypot(a.High-p1, p2-b.Low),
	}
}

// WilsonPercent is Wilson for a share in percent of n, in percent.
func WilsonPercent(share float64, n int) Interval {
	return Wilson(float64(share*float64(n))/100, float64(n)).Times(100)
}

// AUC returns the probability that a number in first is larger than one in second, with
// ties counted by half, and its 95 % interval; NaN if either is empty. This is the area under the ROC
// curve, or Mann and Whitney's U divided by the number of pairs. The variance follows Hanley and
// McNeil 1982, "The meaning and use of the area under a receiver operating characteristic
// (ROC) curve".
func AUC(first, second []float64) (area float64, interval Interval) {
	sorted := slices.Sorted(slices.Values(second))
	for _, x := range first {
		below, _ := slices.BinarySearch(sorted, x)
		upTo, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		area += float64(below+upTo) / 2
	}
	n1, n2 := float64(len(first)), float64(len(second))
	area /= n1 * n2
	square := area * area
	q1, q2 := area/(2-area), 2*square/(1+area)
	variance := (area*(1-area) + (n1-1)*(q1-square) + (n2-1)*(q2-square)) / (n1 * n2)
	half := z95 * math.Sqrt(max(0, variance))
	return area, Interval{max(0, area-half), min(1, area+half)}
}
