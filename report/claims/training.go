package claims

import (
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// overfits checks that train accuracy is well above test accuracy, or that the test loss
// has risen again.
func overfits(row rowOf) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		return e.overfit(row.String(), list)
	}, seldom...)
}

func (e *evidence) overfit(name string, list []*runs.Run) finding {
	all := e.metrics(list)
	last := func(m []runs.Metrics, key string) float64 { return m[len(m)-1].Get(key) }
	train := meanOf(all, func(m []runs.Metrics) float64 { return last(m, "train_acc") })
	test := meanOf(all, func(m []runs.Metrics) float64 { return last(m, "test_acc") })
	rise := meanOf(all, lossRise)
	c := &list[0].Config
	interval, err := stats.Unpaired(train/100*float64(c.Data.Train.Reviews), float64(c.Data.Train.Reviews),
		test/100*float64(c.Data.Test.Reviews), float64(c.Data.Test.Reviews))
	if err != nil {
		return damaged(fmt.Errorf("%s: %w", name, err))
	}
	interval = interval.Times(100)
	var gaps []float64
	for _, m := range all {
		gaps = append(gaps, last(m, "train_acc")-last(m, "test_acc"))
	}
	interval = widened(interval, gaps)
	f := finding{above(interval, overfitGap), fmt.Sprintf("%s: train − test %s points (%s), test loss %s above its minimum",
		name, format.Signed(train-test), format.FromTo(interval.Low, interval.High), format.Fixed(rise, 3))}
	switch {
	case rise > overfitRise:
		f.verdict = Holds
	case f.verdict == Fails && slices.ContainsFunc(list, func(r *runs.Run) bool { return !testedEach(r) }):
		f.verdict = Undecided // the lowest loss may have been at an epoch without a test
	}
	return f
}

// widened extends an interval over reviews to cover the interval over the seeds.
func widened(i stats.Interval, values []float64) stats.Interval {
	if _, seeds, err := stats.TInterval(values); err == nil {
		i.Low, i.High = min(i.Low, seeds.Low), max(i.High, seeds.High)
	}
	return i
}

// lossRise returns how far the final test loss is above its minimum.
func lossRise(m []runs.Metrics) float64 {
	lowest := math.Inf(1)
	for i := range m {
		if loss := m[i].Get("test_loss"); loss < lowest {
			lowest = loss
		}
	}
	return m[len(m)-1].Get("test_loss") - lowest
}

// unsettled returns the mean change of test accuracy from epoch to epoch, in points, over
// the second half of training.
func unsettled(m []runs.Metrics) float64 {
	sum, n := 0.0, 0
	for i := max(1, len(m)/2); i < len(m); i++ {
		sum += math.Abs(m[i].Get("test_acc") - m[i-1].Get("test_acc"))
		n++
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// isUnstable checks that test accuracy jumps from epoch to epoch.
func isUnstable(row rowOf) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		moves := meanOf(e.metrics(list), unsettled)
		return judged(moves > unstable, fmt.Sprintf("%s: test accuracy moves by %s points an epoch", row, format.Fixed(moves, 2)), moves)
	})
}

// stabilises checks that test accuracy moves less from epoch to epoch with b than with a.
func stabilises(a, b rowOf) rule {
	return onBoth(a, b, func(e *evidence, first, second []*runs.Run) finding {
		x, y := meanOf(e.metrics(first), unsettled), meanOf(e.metrics(second), unsettled)
		f := finding{Undecided, fmt.Sprintf("points an epoch that test accuracy moves: %s %s, %s %s", a, format.Fixed(x, 2), b, format.Fixed(y, 2))}
		switch {
		case y >= x:
			f.verdict = Fails
		case y <= calmer*x:
			f.verdict = Holds
		}
		return f
	})
}
