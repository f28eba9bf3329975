package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactBelow is the number of discordant pairs from which on the chi-square
// distribution is near enough to the binomial one.
const exactBelow = 25

// Test is the outcome of a significance test.
type Test struct {
	Name      string  // which test it was
	Statistic float64 // chi-square, or NaN for an exact test
	P         float64 // two-sided
}

// McNemar tests whether two classifiers are right equally often on the same
// things, of which only the first gets b right and only the second c: then b is
// binomial with n = b + c and p = 1/2. Under 25 discordant pairs the test is
// exact; else it is the chi-square of one degree of freedom with the continuity
// correction, (|b − c| − 1)² / (b + c). McNemar 1947; Edwards 1948 for the
// correction; Dietterich 1998 on classifiers. A negative count is an error.
func McNemar(b, c int) (Test, error) {
	if b < 0 || c < 0 {
		return Test{}, fmt.Errorf("mcnemar: %d and %d discordant pairs: want counts", b, c)
	}
	n := b + c
	if n >= exactBelow {
		excess := max(0, math.Abs(float64(b-c))-1)
		chi := float64(excess*excess) / float64(n)
		return Test{"McNemar's test (chi-square, continuity-corrected)", chi, distuv.ChiSquared{K: 1}.Survival(chi)}, nil
	}
	t := Test{Name: "McNemar's test (exact binomial)", Statistic: math.NaN(), P: 1}
	if b != c {
		t.P = min(1, 2*distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(b, c))))
	}
	return t, nil
}

// Paired returns the difference of two accuracies on the same n things and its 95 %
// interval, where only the first is right on b of them and only the second on c:
// (c − b)/n, positive when the second is better. The interval is that of Wald
// with half a thing added to each of the four cells, which keeps its level for few
// pairs, too: Agresti and Min 2005, "Simple improved confidence intervals for
// comparing matched proportions". Counts that are negative, or more than n, are an
// error.
func Paired(n, b, c int) (difference float64, interval Interval, err error) {
	if b < 0 || c < 0 || n < 1 || n < b+c {
		return 0, Interval{}, fmt.Errorf("paired difference: %d and %d discordant pairs of %d: want counts that fit", b, c, n)
	}
	all, first, second := float64(n)+2, float64(b)+0.5, float64(c)+0.5
	middle := (second - first) / all
	half := z95 * math.Sqrt(first+second-float64((second-first)*(second-first))/all) / all
	return float64(c-b) / float64(n), Interval{max(-1, middle-half), min(1, middle+half)}, nil
}
