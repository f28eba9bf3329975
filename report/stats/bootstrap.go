package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Resamples is how often Bootstrap draws anew unless told otherwise.
const Resamples = 10000

// Outcomes say which things each run got right: Outcomes[run][thing]. All runs
// are of one setting and differ by their seed.
type Outcomes [][]bool

// Estimate is a difference of two mean accuracies, positive when the second is
// better. Interval and P are of one test: 0 lies in the interval, its ends included,
// exactly when P is 1 − Level or more.
type Estimate struct {
	Difference float64
	Interval   Interval
	P          float64 // two-sided, of no difference
}

// Options of Bootstrap.
type Options struct {
	Paired    bool   // run i of both sides has the same seed
	Seed      uint64 // of the resampling; the same seed gives the same numbers
	Resamples int    // 0: Resamples
}

// Bootstrap estimates the difference of the accuracies of two settings, each with
// one run a seed, all on the same n things, by drawing both the seeds and the
// things anew: other seeds and other reviews would have given other numbers. Both
// are crossed (each seed is tested on the same things), so one draw of things
// serves all seeds of a resample, of both sides. See Davison and Hinkley 1997,
// section 3.8, on resampling in levels, and Owen 2007, "The pigeonhole bootstrap",
// on crossed ones. Of a side with one run the seed stays what it is.
//
// Four refinements for few seeds. Of k seeds k − 1 are drawn, with replacement,
// since k would make their variance too small by (k − 1)/k (McCarthy and Snowden
// 1985). Resampled differences are stretched about the estimate by t/z for the
// degrees of freedom that Satterthwaite 1946 gives to the seeds' share of the
// variance. p counts the estimate itself as one resample (Davison and Hinkley
// 1997, section 4.2), at least 2/(resamples + 1). The interval holds the differences that
// the same count does not reject, with under 40 resamples all of them. And a few seeds have
// so few different draws that none may reach 0: where the interval does not, p is no less
// than Student's t gives it that has p = 0.05 at the interval's end, with
// (k − 1)·(all variance)/(the seeds') degrees of freedom.
//
// In simulations the interval holds the truth 95 to 98 times in a hundred. Where nearly all
// of the variance is the seeds', paired ones hold it 94 times with five, 93 with three or
// four, and 88 to 90 with two, too few to tell that it is. Without a difference p falls
// below 0.005 up to 7 times in a thousand, and there up to 20 times with three pairs, which
// a correction for many comparisons has to bear: more seeds are better.
//
// Which side comes first changes the signs and nothing else: sides are resampled in an
// order of their own.
//
// A draw of n things is a draw of how many it has of each pattern of right and
// wrong runs, and of a drawn set of seeds only the sum over a pattern matters: so a
// resample costs one pass over the distinct patterns and one binomial draw for
// each distinct sum, not n draws, and is distributed exactly as if it had made them.
//
// It is an error if a side has no run, there is nothing to compare on, runs have
// different numbers of outcomes, or Options.Paired asks for sides of different sizes.
func Bootstrap(first, second Outcomes, o Options) (Estimate, error) {
	if err := check(first, second, o.Paired); err != nil {
		return Estimate{}, err
	}
	if inOrder(first, second) > 0 {
		e := bootstrap(second, first, o)
		return Estimate{-e.Difference, e.Interval.Negative(), e.P}, nil
	}
	return bootstrap(first, second, o), nil
}

// inOrder orders sides by their mean accuracy, those of the same by what they got right.
func inOrder(first, second Outcomes) int {
	byThing := func(a, b bool) int { return cmp.Compare(one(a), one(b)) }
	byRun := func(a, b []bool) int { return slices.CompareFunc(a, b, byThing) }
	return cmp.Or(cmp.Compare(mean(first), mean(second)), slices.CompareFunc(first, second, byRun))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func bootstrap(first, second Outcomes, o Options) Estimate {
	if o.Resamples == 0 {
		o.Resamples = Resamples
	}
	p := newPatterns(first, second)
	draws := make([]float64, o.Resamples)
	for i := range draws {
		draws[i] = p.resample(random(o.Seed, i), o.Paired)
	}
	e := Estimate{Difference: mean(second) - mean(first)}
	f := freedomOf(first, second, o.Paired, draws)
	stretch := t95(f.interval) / z95
	atMost, atLeast := 1, 1 // the estimate itself
	for i, d := range draws {
		draws[i] = e.Difference + float64(stretch*(d-e.Difference))
		if draws[i] <= 0 {
			atMost++
		}
		if draws[i] >= 0 {
			atLeast++
		}
	}
	e.P = counted(min(atMost, atLeast), o.Resamples)
	slices.Sort(draws)
	beyond := 0 // how many draws on either side are rejected
	for beyond < o.Resamples/2 && counted(beyond+1, o.Resamples) < 1-Level {
		beyond++
	}
	e.Interval = Interval{-1, 1}
	if beyond > 0 {
		e.Interval = Interval{max(-1, draws[beyond-1]), min(1, draws[o.Resamples-beyond])}
	}
	if e.P < 1-Level && !math.IsInf(f.tail, 1) {
		e.P = max(e.P, e.tail(f.tail))
	}
	return e
}

// counted returns the p of so many of the resamples, and the estimate, on one side.
func counted(count, resamples int) float64 {
	return min(1, 2*float64(count)/float64(resamples+1))
}

// tail returns the p, below 1 − Level, of an interval without 0 by Student's t with so many
// degrees of freedom, on which its end towards 0 has p = 1 − Level.
func (e Estimate) tail(freedom float64) float64 {
	half := e.Interval.High - e.Difference
	if e.Difference > 0 {
		half = e.Difference - e.Interval.Low
	}
	if half <= 0 {
		return 0
	}
	return min(twoSided(e.Difference/half*t95(freedom), freedom), math.Nextafter(1-Level, 0))
}

func check(first, second Outcomes, paired bool) error {
	if len(first) == 0 || len(second) == 0 || len(first[0]) == 0 {
		return errors.New("bootstrap: want a run on either side and something to compare them on")
	}
	for _, runs := range []Outcomes{first, second} {
		for _, r := range runs {
			if len(r) != len(first[0]) {
				return fmt.Errorf("bootstrap: one run has %d outcomes, another %d", len(first[0]), len(r))
			}
		}
	}
	if paired && len(first) != len(second) {
		return fmt.Errorf("bootstrap: %d runs cannot be paired with %d", len(first), len(second))
	}
	return nil
}

// freedom are degrees of freedom of an interval, by Satterthwaite, and of the tails beyond it,
// which are fewer; infinite where the seeds have no part in the variance.
type freedom struct{ interval, tail float64 }

func freedomOf(first, second Outcomes, paired bool, draws []float64) freedom {
	var sides [][]float64 // accuracies, or their differences, by seed
	if a, b := first.Accuracies(), second.Accuracies(); paired {
		for i := range a {
			b[i] -= a[i]
		}
		sides = [][]float64{b}
	} else {
		sides = [][]float64{a, b}
	}
	_, total := moments(draws)
	seeds, below := 0.0, 0.0
	for _, s := range sides {
		if len(s) < 2 {
			continue
		}
		_, v := moments(s)
		v /= float64(len(s))
		total = max(total, v)
		seeds += v
		below += float64(v*v) / float64(len(s)-1)
	}
	if below == 0 {
		return freedom{math.Inf(1), math.Inf(1)}
	}
	return freedom{max(1, total*total/below), max(1, seeds*max(seeds, total)/below)}
}

// Accuracies returns that of each run, a share.
func (o Outcomes) Accuracies() []float64 {
	out := make([]float64, len(o))
	for i, run := range o {
		hits := 0
		for _, right := range run {
			if right {
				hits++
			}
		}
		out[i] = float64(hits) / float64(len(run))
	}
	return out
}

func mean(o Outcomes) float64 {
	m, _ := moments(o.Accuracies())
	return m
}
