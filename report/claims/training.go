package claims

import (
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report"
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

// endOf averages a number over report.LastEpochs epochs, because single epochs fluctuate. The
// last of them is before epochs from the end.
func endOf(m []runs.Metrics, before int, of func(*runs.Metrics) float64) float64 {
	to := len(m) - before
	values := make([]float64, 0, report.LastEpochs)
	for i := max(to-report.LastEpochs, 0); i < to; i++ {
		values = append(values, of(&m[i]))
	}
	return stats.Summarise(values).Mean // NaN of none
}

func testAcc(m *runs.Metrics) float64 { return m.Get("test_acc") }

// reaches returns the first epoch with at least this test accuracy, or +Inf.
func reaches(m []runs.Metrics, accuracy float64) float64 {
	for i := range m {
		if m[i].Get("test_acc") >= accuracy {
			return float64(m[i].Epoch)
		}
	}
	return math.Inf(1)
}

// median returns the median over the seeds, because a single seed may have learned nothing.
func median(all [][]runs.Metrics, of func([]runs.Metrics) float64) float64 {
	values := make([]float64, len(all))
	for i, m := range all {
		values[i] = of(m)
	}
	return stats.Median(values)
}

// sooner checks that a reaches the final accuracy of b in at most half of b's epochs.
func sooner(a, b rowOf) rule {
	return onBoth(a, b, func(e *evidence, first, second []*runs.Run) finding {
		x, y := e.metrics(first), e.metrics(second)
		goal := median(y, func(m []runs.Metrics) float64 { return endOf(m, 0, testAcc) }) - sameAccuracy
		to := func(m []runs.Metrics) float64 { return reaches(m, goal) }
		fast, slow := median(x, to), median(y, to)
		f := finding{Undecided, fmt.Sprintf("epochs to %s %%: %s %s, %s %s", format.Fixed(goal, 2), a, epochs(fast), b, epochs(slow))}
		switch {
		case math.IsInf(slow, 1) || math.IsNaN(goal): // nothing to compare with
		case fast <= slow/2:
			f.verdict = Holds
		case fast >= slow:
			f.verdict = Fails
		}
		return f
	})
}

func epochs(n float64) string {
	if math.IsInf(n, 1) {
		return "never"
	}
	return format.Fixed(n, 0)
}

// lessSensitive checks that a loses less test accuracy than b from its best to its worst
// learning rate. Every rate must have been run.
func lessSensitive(a, b []rowOf) rule {
	return func(e *evidence) finding {
		lost := func(rows []rowOf) float64 {
			best, worst := math.Inf(-1), math.Inf(1)
			for _, row := range rows {
				end := meanOf(e.metrics(e.need(row)), func(m []runs.Metrics) float64 { return endOf(m, 0, testAcc) })
				best, worst = max(best, end), min(worst, end)
			}
			return best - worst
		}
		x, y := lost(a), lost(b)
		if len(e.missing) > 0 {
			return finding{verdict: NotRun}
		}
		f := finding{Undecided, fmt.Sprintf("points between the best and the worst rate: %s %s, %s %s", a[0], format.Fixed(x, 2), b[0], format.Fixed(y, 2))}
		switch {
		case y-x > sameAccuracy:
			f.verdict = Holds
		case x-y > sameAccuracy:
			f.verdict = Fails
		}
		return f
	}
}

// stillLearns checks that the train loss still falls in the last ten epochs.
func stillLearns(row rowOf) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		var falls []float64
		for _, m := range e.metrics(list) {
			of := func(m *runs.Metrics) float64 { return m.Get("train_loss") }
			falls = append(falls, endOf(m, 10, of)-endOf(m, 0, of))
		}
		fall := stats.Summarise(falls).Mean
		interval := stats.Interval{Low: fall, High: fall}
		if _, seeds, err := stats.TInterval(falls); err == nil {
			interval = seeds
		}
		return finding{above(interval, stillFalls), fmt.Sprintf("%s: train loss falls by %s nats in the last ten epochs (%s to %s)",
			row, format.Fixed(fall, 4), format.Fixed(interval.Low, 4), format.Fixed(interval.High, 4))}
	}, testSettings...)
}

// fallsEarly checks that the mean test entropy falls mainly in the first epochs.
func fallsEarly(row rowOf) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		all := e.metrics(list)
		first, last := meanOf(all, firstEntropy), meanOf(all, lastEntropy)
		early := meanOf(all, func(m []runs.Metrics) float64 {
			i := slices.IndexFunc(m, func(m runs.Metrics) bool { return m.Epoch > earlyEpochs })
			if i < 0 {
				return math.NaN() // too few epochs
			}
			return m[i-1].Get("test_entropy")
		})
		f := finding{moved(first - last), fmt.Sprintf("%s: %s → %s → %s nats after epochs 1, %d and the last",
			row, format.Fixed(first, 2), format.Fixed(early, 2), format.Fixed(last, 2), earlyEpochs)}
		switch {
		case math.IsNaN(early):
			f.verdict = Undecided
		case f.verdict == Holds && first-early <= (first-last)/2:
			f.verdict = Fails
		}
		return f
	})
}

// widens checks that the gap between train and test accuracy is wider with b than with a.
func widens(a, b rowOf) rule {
	return onBoth(a, b, func(e *evidence, first, second []*runs.Run) finding {
		gap := func(list []*runs.Run) float64 {
			return meanOf(e.metrics(list), func(m []runs.Metrics) float64 {
				return endOf(m, 0, func(m *runs.Metrics) float64 { return m.Get("train_acc") - m.Get("test_acc") })
			})
		}
		x, y := gap(first), gap(second)
		f := finding{Undecided, fmt.Sprintf("train − test: %s %s, %s %s points", a, format.Signed(x), b, format.Signed(y))}
		switch {
		case y-x > overfitGap:
			f.verdict = Holds
		case y <= x:
			f.verdict = Fails
		}
		return f
	})
}
