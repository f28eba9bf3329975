// Package stats holds the statistics behind comparisons of runs: tests and
// intervals for accuracies on the same reviews, and corrections for many of them.
// It works on plain numbers and does not depend on runs.
//
// Proportions, differences and intervals are fractions (0.01 is a point), and levels
// are 95 % throughout. None of these numbers is stored in a run.
package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
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

// KendallB returns Kendall's τ_b of paired numbers, between −1 (opposite orders) and 1
// (the same), and the two-sided p of τ_b = 0 by the normal approximation, both with
// ties taken into account (Kendall 1945, "The treatment of ties in ranking problems",
// Biometrika 33; Kendall and Gibbons 1990, section 4.14). Pairs out of order are
// counted by merging (Knight 1966). KendallB returns an error unless there are at least two
// pairs, none of them NaN. τ_b is NaN if all numbers of a side are the same.
func KendallB(x, y []float32) (tau, p float64, err error) {
	n := len(x)
	if n < 2 || len(y) != n {
		return 0, 0, fmt.Errorf("kendall: %d and %d numbers: want equally many, two or more", n, len(y))
	}
	for i := range x {
		if x[i] != x[i] || y[i] != y[i] {
			return 0, 0, fmt.Errorf("kendall: pair %d is (%v, %v)", i, x[i], y[i])
		}
	}
	order := Order(n, func(i, j int) int { return cmp.Or(cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])) })
	tied := func(i, j int) bool { return x[order[i]] == x[order[j]] }
	both := countTies(n, func(i, j int) bool { return tied(i, j) && y[order[i]] == y[order[j]] })
	left := countTies(n, tied)
	list := make([]float32, n)
	for i, at := range order {
		list[i] = y[at]
	}
	swaps := exchanges(list, make([]float32, n)) // leaves list in order
	right := countTies(n, func(i, j int) bool { return list[i] == list[j] })

	pairs := float64(n * (n - 1) / 2)
	surplus := pairs - left.pairs - right.pairs + both.pairs - 2*float64(swaps)
	tau = surplus / math.Sqrt(pairs-left.pairs) / math.Sqrt(pairs-right.pairs)
	if tau != tau || left.pairs == pairs || right.pairs == pairs {
		return math.NaN(), 1, nil
	}
	m := float64(n * (n - 1))
	variance := (float64(m*float64(2*n+5))-left.fives-right.fives)/18 + float64(2*left.pairs*right.pairs)/m
	if n > 2 {
		variance += float64(left.triples*right.triples) / float64(9*m*float64(n-2))
	}
	return min(1, max(-1, tau)), math.Erfc(math.Abs(surplus) / math.Sqrt(2*variance)), nil
}

// ties are sums over groups of t equal numbers.
type ties struct{ pairs, triples, fives float64 } // t(t−1)/2, t(t−1)(t−2), t(t−1)(2t+5)

// countTies returns the sums over the groups of equal numbers among n sorted ones.
func countTies(n int, same func(i, j int) bool) (out ties) {
	for i := 0; i < n; {
		j := i + 1
		for j < n && same(i, j) {
			j++
		}
		t := float64(j - i)
		out.pairs += float64(t*(t-1)) / 2
		out.triples += float64(t * (t - 1) * (t - 2))
		out.fives += float64(t * (t - 1) * (float64(2*t) + 5))
		i = j
	}
	return out
}

// exchanges sorts a list and returns the number of pairs that were in the wrong order.
func exchanges(list, room []float32) int {
	n := len(list)
	if n < 2 {
		return 0
	}
	h := n / 2
	count := exchanges(list[:h], room[:h]) + exchanges(list[h:], room[h:])
	copy(room, list)
	for i, a, b := 0, 0, h; i < n; i++ {
		if b == n || a < h && room[a] <= room[b] {
			list[i] = room[a]
			a++
		} else {
			list[i] = room[b]
			count += h - a
			b++
		}
	}
	return count
}

// Kruskal tests whether groups of values differ in their level. share is the part of the variance of the ranks that
// lies between the groups, less the part expected by chance: η² = (H − k + 1)/(n − k), at least 0. p is the
// share of 10 000 random regroupings, including this grouping, with at least this H; so it is valid for few values too.
// Kruskal and Wallis 1952, "Use of ranks in one-criterion variance analysis".
func Kruskal(groups [][]float64) (share, p float64, err error) {
	const regroups = 10_000
	all := slices.Concat(groups...)
	n, k := len(all), len(groups)
	if k < 2 || n <= k || slices.ContainsFunc(groups, func(g []float64) bool { return len(g) == 0 }) {
		return 0, 0, fmt.Errorf("kruskal: %d values in %d groups: want at least two groups, none empty, and more values than groups", n, k)
	}
	order := Order(n, func(a, b int) int { return cmp.Compare(all[a], all[b]) })
	ranks, squares := make([]int, n), 0 // twice the rank less n + 1, so that their sum is 0
	for from := 0; from < n; {
		to := from + 1
		for to < n && all[order[to]] == all[order[from]] {
			to++
		}
		for _, i := range order[from:to] { // equal values share their mean rank
			ranks[i] = from + to - n
			squares += ranks[i] * ranks[i]
		}
		from = to
	}
	if squares == 0 {
		return 0, 1, nil
	}
	between := func() (sum float64) {
		at := 0
		for _, g := range groups {
			of := 0
			for _, r := range ranks[at : at+len(g)] {
				of += r
			}
			at, sum = at+len(g), sum+float64(of*of)/float64(len(g))
		}
		return sum
	}
	own := between()
	h := float64(n-1) * own / float64(squares)
	random, extreme := rand.New(rand.NewPCG(1, 2)), 1
	for range regroups - 1 {
		random.Shuffle(n, func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		if between() >= own*(1-1e-9) {
			extreme++
		}
	}
	return max(0, (h-float64(k-1))/float64(n-k)), float64(extreme) / regroups, nil
}
