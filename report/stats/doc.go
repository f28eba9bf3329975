// Package stats holds the statistics behind comparisons of runs: tests and
// intervals for accuracies on the same reviews, and corrections for many of them.
// It works on plain numbers and does not depend on runs.
//
// Proportions, differences and intervals are fractions (0.01 is a point), and levels
// are 95 % throughout. None of these numbers is stored in a run.
package stats

import (
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
