package report

import (
	"fmt"
	"math"
)

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// Interval is a confidence interval, in the unit of what it surrounds.
type Interval struct{ Low, High float64 }

// Wilson returns the 95 % score interval of a proportion of which n trials
// showed hits: the set of true proportions that a two-sided normal test at 5 %
// does not reject. Unlike the textbook interval p ± 1.96 se it stays within
// [0, 1] and does not shrink to nothing at 0 or 1. hits need not be whole (the
// mean over seeds is not). Wilson 1927; Newcombe 1998, method 3.
//
// An error is returned unless 0 ≤ hits ≤ n and n > 0.
func Wilson(hits, n float64) (Interval, error) {
	if !(n > 0) || !(hits >= 0) || !(hits <= n) || math.IsInf(n, 0) {
		return Interval{}, fmt.Errorf("wilson interval: %g hits of %g trials: want 0 ≤ hits ≤ trials and trials > 0", hits, n)
	}
	p, zz := hits/n, float64(z95*z95)
	middle := p + zz/(2*n)
	half := z95 * math.Sqrt(float64(p*(1-p))/n+zz/(4*n*n))
	scale := 1 + zz/n
	return Interval{
		Low:  max(0, (middle-half)/scale),
		High: min(1, (middle+half)/scale),
	}, nil
}

// wilsonPercent is Wilson for an accuracy in percent over n reviews, in percent.
func wilsonPercent(accuracy float64, n int) (Interval, error) {
	i, err := Wilson(float64(accuracy*float64(n))/100, float64(n))
	return Interval{100 * i.Low, 100 * i.High}, err
}
