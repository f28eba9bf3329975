// Package stats holds the statistics behind comparisons of runs: tests and
// intervals for accuracies on the same reviews, and corrections for many of them.
// It works on plain numbers and knows no run.
//
// Proportions, differences and intervals are fractions (0.01 is a point), levels
// are 95 % throughout. Nothing here goes into a kept result of a run.
package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval, in the unit of what it surrounds.
type Interval struct{ Low, High float64 }

// Holds reports whether x lies in the interval, its ends included.
func (i Interval) Holds(x float64) bool { return i.Low <= x && x <= i.High }

// Times returns the interval in another unit, such as percent for a factor of 100.
func (i Interval) Times(factor float64) Interval { return Interval{factor * i.Low, factor * i.High} }

// Within returns the part of the interval that lies in another: of a number that cannot be
// outside of it.
func (i Interval) Within(o Interval) Interval {
	return Interval{max(i.Low, o.Low), min(i.High, o.High)}
}

// Negative returns the interval of the negative.
func (i Interval) Negative() Interval { return Interval{-i.High, -i.Low} }

// Level is that of every interval, and 1 − Level the limit below which a p counts
// as more than noise.
const Level = 0.95

// tail is the probability on either side of an interval.
const tail = (1 - Level) / 2

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// t95 is the 97.5 % quantile of Student's distribution.
func t95(freedom float64) float64 {
	if math.IsInf(freedom, 1) {
		return z95
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - tail)
}

// twoSided is the probability of so large a t, of either sign.
func twoSided(t, freedom float64) float64 {
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(math.Abs(t))
}
