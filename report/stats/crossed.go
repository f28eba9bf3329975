package stats

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// CrossedMethod names the test and the interval of Crossed.
const CrossedMethod = "analysis of variance over seeds and %s" // reviews or pairs

// Outcomes holds which items each run predicted correctly: Outcomes[run][item]. All runs
// have the same setting and differ by seed.
type Outcomes [][]bool

// Values holds a number of each item, such as 1, 0 or −1, for each run: Values[run][item].
type Values [][]float64

// Values returns 1 for each item predicted correctly, and 0 for the others.
func (o Outcomes) Values() Values {
	out := make(Values, len(o))
	for s, run := range o {
		out[s] = make([]float64, len(run))
		for i, right := range run {
			if right {
				out[s][i] = 1
			}
		}
	}
	return out
}

// Estimate is a difference of two mean accuracies, positive when the second is
// better. Interval and P come from the same test: the interval, its ends included, holds 0
// exactly when P is 1 − Level or more.
type Estimate struct {
	Difference float64
	Interval   Interval
	P          float64 // two-sided, of no difference
}

// Crossed estimates the difference of the accuracies of two settings on the same n items, each
// with one run per seed. Other seeds and other items would give other numbers. Each seed is
// tested on the same items, so the two are crossed random effects, and for k pairs of seeds
//
//	variance = σ²(seeds)/k + σ²(items)/n + σ²(seeds × items)/kn
//
// The usual mean squares estimate it (Searle, Casella and McCulloch 1992, "Variance Components",
// section 4.3): over items, MI/kn has the last two terms; over seeds, MS/kn has the first and
// the last; the rest, MR/kn, has the last alone. If paired is true, run i of both sides has the
// same seed and the differences of the pairs are analysed. Otherwise the sides have independent
// seeds, and each adds its own terms. A side with one run adds none: its seed is fixed.
//
// A few seeds estimate MS badly. So each part of the variance gets its own quantile (the idea of
// Howe 1974, "Approximate confidence limits on the mean of X + Y"): Student's t for the seeds,
// with k − 1 degrees of freedom or Satterthwaite's for two sides, and one with n − 1 for the items (z below):
//
//	half² = z²·(MI − MR) + max(z²·MR, t²·MS − λ(t² − z²)·MR),  each over kn
//
// The part λ of MR is known from many items and needs no t: λ is ½, and 0 with two seeds.
// docs/results/statistics.md has simulations of how often the interval covers the true difference.
//
// Crossed returns an error if a side has no run, there are fewer than two items, runs have
// different numbers of outcomes, or paired is set for sides of different sizes.
func Crossed(first, second Outcomes, paired bool) (Estimate, error) {
	e, err := CrossedValues(first.Values(), second.Values(), paired)
	e.Interval = e.Interval.Within(Interval{-1, 1})
	return e, err
}

// CrossedValues is Crossed for the means of other numbers than right and wrong.
func CrossedValues(first, second Values, paired bool) (Estimate, error) {
	if err := check(first, second, paired); err != nil {
		return Estimate{}, err
	}
	e := Estimate{Difference: mean(second) - mean(first), P: 1}
	v := varianceOf(first, second, paired)
	half := v.half(1 - Level)
	e.Interval = Interval{e.Difference - half, e.Difference + half}
	low, high := 1e-12, 1.0 // p is between them: half falls as p rises
	if math.Abs(e.Difference) <= half {
		low = 1 - Level
	} else {
		high = math.Nextafter(1-Level, 0)
	}
	for range 40 { // ten digits of p
		if p := math.Sqrt(low * high); v.half(p) < math.Abs(e.Difference) {
			high = p
		} else {
			low = p
		}
	}
	if e.Difference != 0 {
		e.P = high
	}
	return e, nil
}

// variance has the parts of the variance of a difference.
type variance struct {
	n       int     // items
	items   float64 // MI/kn
	seeds   float64 // MS/kn, of both sides
	rest    float64 // MR/kn, of both sides
	freedom float64 // of seeds; 0 without
}

// half returns half of the interval of level 1 − p.
func (v variance) half(p float64) float64 {
	z := quantile(p, float64(v.n-1))
	square := float64(z*z) * max(0, v.items-v.rest)
	if v.freedom == 0 {
		return math.Sqrt(square)
	}
	t := quantile(p, v.freedom)
	lambda := 0.5
	if v.freedom < 1.5 {
		lambda = 0
	}
	known := float64(lambda*(t*t-z*z)) * v.rest
	return math.Sqrt(square + max(float64(z*z)*v.rest, float64(t*t)*v.seeds-known))
}

func varianceOf(first, second Values, paired bool) (v variance) {
	n := len(first[0])
	differences := make([]float64, n) // by item, means over seeds
	for i := range differences {
		differences[i] = second.item(i) - first.item(i)
	}
	_, between := moments(differences)
	v.n, v.items = n, between/float64(n)
	var squares float64
	add := func(seeds, rest float64, k int) {
		v.seeds += seeds
		v.rest += rest
		squares += float64(seeds*seeds) / float64(k-1)
	}
	if k := len(first); paired && k > 1 {
		seeds, rest := meanSquares(k, n, func(s, i int) float64 { return second[s][i] - first[s][i] })
		add(seeds, rest, k)
	} else if !paired {
		for _, side := range []Values{first, second} {
			if k := len(side); k > 1 {
				seeds, rest := meanSquares(k, n, func(s, i int) float64 { return side[s][i] })
				add(seeds, rest, k)
			}
		}
	}
	if squares > 0 {
		v.freedom = float64(v.seeds*v.seeds) / squares
	} else if v.rest > 0 { // all seeds have the same accuracy
		v.freedom = float64(max(len(first), len(second)) - 1)
	}
	return v
}

// meanSquares returns MS/kn and MR/kn of k runs on n items.
func meanSquares(k, n int, value func(s, i int) float64) (seeds, rest float64) {
	runs, items := make([]float64, k), make([]float64, n)
	var all float64
	for s := range k {
		for i := range n {
			x := value(s, i)
			runs[s] += x / float64(n)
			items[i] += x / float64(k)
			all += float64(x * x)
		}
	}
	m, betweenRuns := moments(runs)
	_, betweenItems := moments(items)
	total := all - float64(m*m)*float64(k*n)
	total -= float64(betweenRuns*float64(k-1)) * float64(n)
	total -= float64(betweenItems*float64(n-1)) * float64(k)
	return betweenRuns / float64(k), max(0, total) / float64((k-1)*(n-1)) / float64(k*n)
}

func check(first, second Values, paired bool) error {
	n := 0
	if len(first) > 0 {
		n = len(first[0])
	}
	other := func(run []float64) bool { return len(run) != n }
	if n < 2 || len(second) == 0 || paired && len(first) != len(second) || slices.ContainsFunc(slices.Concat(first, second), other) {
		return errors.New("comparison: need at least one run on each side, as many if they are paired, all with the same outcomes, two or more")
	}
	return nil
}

// item returns the mean over the runs of the value of an item.
func (o Values) item(i int) (mean float64) {
	for _, run := range o {
		mean += run[i]
	}
	return mean / float64(len(o))
}

// Accuracies returns the accuracy of each run as a fraction.
func (o Outcomes) Accuracies() (out []float64) {
	for _, run := range o.Values() {
		hits := 0.0
		for _, right := range run {
			hits += right
		}
		out = append(out, hits/float64(len(run)))
	}
	return out
}

func mean(o Values) float64 {
	all := make([]float64, len(o))
	for s, run := range o {
		all[s], _ = moments(run)
	}
	m, _ := moments(all)
	return m
}

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
