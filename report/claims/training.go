package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// measure is a number of the epochs of a run, averaged over the seeds of a row.
type measure struct {
	row rowOf
	of  func([]runs.Metrics) float64
}

// measured returns a rule on measures of rows.
func measured(judge func(n []float64) finding, list ...measure) rule {
	rows := report.Map(list, func(m measure) rowOf { return m.row })
	return on(rows, func(e *evidence, lists [][]*runs.Run) finding {
		n := make([]float64, len(list))
		for i, m := range list {
			n[i] = meanOf(e.metrics(lists[i]), m.of)
		}
		return judge(n)
	})
}

// last returns a metric after the last epoch.
func last(key string) func([]runs.Metrics) float64 {
	return func(m []runs.Metrics) float64 { return m[len(m)-1].Get(key) }
}

// first returns a metric after the first epoch.
func first(key string) func([]runs.Metrics) float64 {
	return func(m []runs.Metrics) float64 { return m[0].Get(key) }
}

// overfits checks that train accuracy is well above test accuracy, or that the test loss
// has risen again.
func overfits(row rowOf) rule {
	return onOne(row, func(e *evidence, list []*runs.Run) finding { return e.overfit(row.String(), list) }, seldom...)
}

func (e *evidence) overfit(name string, list []*runs.Run) finding {
	all := e.metrics(list)
	train, test, rise := meanOf(all, last("train_acc")), meanOf(all, last("test_acc")), meanOf(all, lossRise)
	d := list[0].Config.Data
	n, k := float64(d.Train.Reviews), float64(d.Test.Reviews)
	interval := stats.Unpaired(train/100*n, n, test/100*k, k).Times(100)
	if math.IsNaN(interval.Low) {
		panic(unread{fmt.Errorf("%s: accuracies %s on train and %s on test", name, format.Fixed(train, 2), format.Fixed(test, 2))})
	}
	gaps := report.Map(all, func(m []runs.Metrics) float64 { return last("train_acc")(m) - last("test_acc")(m) })
	interval = widened(interval, gaps)
	verdict := above(interval, overfitGap)
	switch {
	case rise > overfitRise:
		verdict = Holds
	case verdict == Fails && slices.ContainsFunc(list, func(r *runs.Run) bool { return !testedEach(r) }):
		verdict = Undecided // the lowest loss may have been at an epoch without a test
	}
	return found(verdict, "%s: train − test %s points (%s), test loss %s above its minimum",
		name, format.Signed(train-test), format.FromTo(interval.Low, interval.High), format.Fixed(rise, 3))
}

// widened extends an interval over reviews to cover the interval over the seeds.
func widened(i stats.Interval, values []float64) stats.Interval {
	if _, seeds := stats.TInterval(values); !math.IsNaN(seeds.Low) {
		i.Low, i.High = min(i.Low, seeds.Low), max(i.High, seeds.High)
	}
	return i
}

// lossRise returns how far the final test loss is above its minimum.
func lossRise(m []runs.Metrics) float64 {
	losses := report.Map(m, func(m runs.Metrics) float64 { return m.Get("test_loss") })
	lowest := slices.Min(append(slices.DeleteFunc(slices.Clone(losses), math.IsNaN), math.Inf(1)))
	return losses[len(m)-1] - lowest
}

// unsettled returns the mean change of test accuracy from epoch to epoch, in points, over
// the second half of training.
func unsettled(m []runs.Metrics) float64 {
	sum, from := 0.0, max(1, len(m)/2)
	for i := from; i < len(m); i++ {
		sum += math.Abs(m[i].Get("test_acc") - m[i-1].Get("test_acc"))
	}
	return sum / float64(max(0, len(m)-from)) // NaN of none
}

// isUnstable checks that test accuracy jumps from epoch to epoch.
func isUnstable(row rowOf) rule {
	return measured(func(n []float64) finding {
		verdict := decide(n[0] > unstable, true)
		if math.IsNaN(n[0]) {
			verdict = NotRun
		}
		return found(verdict, "%s: test accuracy moves by %s points an epoch", row, format.Fixed(n[0], 2))
	}, measure{row, unsettled})
}

// stabilises checks that test accuracy moves less from epoch to epoch with b than with a.
func stabilises(a, b rowOf) rule {
	return measured(func(n []float64) finding {
		return found(decide(n[1] < n[0] && n[1] <= calmer*n[0], n[1] >= n[0]), "points an epoch that test accuracy moves: %s %s, %s %s",
			a, format.Fixed(n[0], 2), b, format.Fixed(n[1], 2))
	}, measure{a, unsettled}, measure{b, unsettled})
}

// endOf averages a number over report.LastEpochs epochs, because single epochs fluctuate. The
// last of them is before epochs from the end.
func endOf(m []runs.Metrics, before int, of func(*runs.Metrics) float64) float64 {
	m = m[:max(0, len(m)-before)]
	last := m[max(0, len(m)-report.LastEpochs):]
	return stats.Summarise(report.Map(last, func(m runs.Metrics) float64 { return of(&m) })).Mean // NaN of none
}

func endAcc(m []runs.Metrics) float64 {
	return endOf(m, 0, func(m *runs.Metrics) float64 { return m.Get("test_acc") })
}

// sooner checks that a reaches the final accuracy of b in at most half of b's epochs. Medians over the
// seeds count, because a single seed may have learned nothing.
func sooner(a, b rowOf) rule {
	return on([]rowOf{a, b}, func(e *evidence, lists [][]*runs.Run) finding {
		median := func(i int, of func([]runs.Metrics) float64) float64 {
			return stats.Median(report.Map(e.metrics(lists[i]), of))
		}
		goal := median(1, endAcc) - sameAccuracy
		reached := func(m []runs.Metrics) float64 { // the first epoch with that accuracy
			if i := slices.IndexFunc(m, func(m runs.Metrics) bool { return m.Get("test_acc") >= goal }); i >= 0 {
				return float64(m[i].Epoch)
			}
			return math.Inf(1)
		}
		epochs := func(n float64) string {
			if math.IsInf(n, 1) {
				return "never"
			}
			return format.Fixed(n, 0)
		}
		fast, slow := median(0, reached), median(1, reached)
		known := !math.IsInf(slow, 1) && !math.IsNaN(goal) // otherwise there is nothing to compare with
		return found(decide(known && fast <= slow/2, known && fast >= slow), "epochs to %s %%: %s %s, %s %s",
			format.Fixed(goal, 2), a, epochs(fast), b, epochs(slow))
	})
}

// lessSensitive checks that a loses less test accuracy than b from its best to its worst
// learning rate. Every rate must have been run.
func lessSensitive(a, b []rowOf) rule {
	list := report.Map(slices.Concat(a, b), func(row rowOf) measure { return measure{row, endAcc} })
	return measured(func(n []float64) finding {
		lost := func(n []float64) float64 { return slices.Max(n) - slices.Min(n) }
		x, y := lost(n[:len(a)]), lost(n[len(a):])
		return found(decide(y-x > sameAccuracy, x-y > sameAccuracy), "points between the best and the worst rate: %s %s, %s %s",
			a[0], format.Fixed(x, 2), b[0], format.Fixed(y, 2))
	}, list...)
}

// stillLearns checks that the train loss still falls in the last ten epochs.
func stillLearns(row rowOf) rule {
	return onOne(row, func(e *evidence, list []*runs.Run) finding {
		falls := report.Map(e.metrics(list), func(m []runs.Metrics) float64 {
			of := func(m *runs.Metrics) float64 { return m.Get("train_loss") }
			return endOf(m, 10, of) - endOf(m, 0, of)
		})
		fall := stats.Summarise(falls).Mean
		_, interval := stats.TInterval(falls)
		if math.IsNaN(interval.Low) {
			interval = stats.Interval{Low: fall, High: fall}
		}
		return found(above(interval, stillFalls), "%s: train loss falls by %s nats in the last ten epochs (%s to %s)",
			row, format.Fixed(fall, 4), format.Fixed(interval.Low, 4), format.Fixed(interval.High, 4))
	}, testSettings...)
}

// widens checks that the gap between train and test accuracy is wider with b than with a.
func widens(a, b rowOf) rule {
	gap := func(m []runs.Metrics) float64 {
		return endOf(m, 0, func(m *runs.Metrics) float64 { return m.Get("train_acc") - m.Get("test_acc") })
	}
	return measured(func(n []float64) finding {
		return found(decide(n[1]-n[0] > overfitGap, n[1] <= n[0]), "train − test: %s %s, %s %s points", a, format.Signed(n[0]), b, format.Signed(n[1]))
	}, measure{a, gap}, measure{b, gap})
}

// moved judges a change of an entropy against the visible change entropyMoves; Undecided also for NaN.
func moved(change float64) Verdict { return decide(change >= entropyMoves, change <= -entropyMoves) }

// entropyFalls checks that the mean test entropy is lower after the last epoch than after
// the first.
func entropyFalls(row rowOf) rule { return entropyChange(row, -1) }

// entropyRises checks the opposite.
func entropyRises(row rowOf) rule { return entropyChange(row, 1) }

func entropyChange(row rowOf, sign float64) rule {
	return measured(func(n []float64) finding {
		return found(moved(sign*(n[1]-n[0])), "%s: %s → %s nats", row, format.Fixed(n[0], 2), format.Fixed(n[1], 2))
	}, measure{row, first("test_entropy")}, measure{row, last("test_entropy")})
}

// fallsEarly checks that the mean test entropy falls mainly in the first epochs.
func fallsEarly(row rowOf) rule {
	early := func(m []runs.Metrics) float64 {
		i := slices.IndexFunc(m, func(m runs.Metrics) bool { return m.Epoch > earlyEpochs })
		if i < 0 {
			return math.NaN() // too few epochs
		}
		return m[i-1].Get("test_entropy")
	}
	return measured(func(n []float64) finding {
		verdict := moved(n[0] - n[2])
		switch {
		case math.IsNaN(n[1]):
			verdict = Undecided
		case verdict == Holds && n[0]-n[1] <= (n[0]-n[2])/2:
			verdict = Fails
		}
		return found(verdict, "%s: %s → %s → %s nats after epochs 1, %d and the last",
			row, format.Fixed(n[0], 2), format.Fixed(n[1], 2), format.Fixed(n[2], 2), earlyEpochs)
	}, measure{row, first("test_entropy")}, measure{row, early}, measure{row, last("test_entropy")})
}

// compareEntropies checks that a statistic of the entropies is larger for b than for a.
func compareEntropies(what string, a, b rowOf, of func([]runs.Metrics) float64) rule {
	return measured(func(n []float64) finding {
		return found(moved(n[1]-n[0]), "%s: %s %s, %s %s nats", what, a, format.Fixed(n[0], 2), b, format.Fixed(n[1], 2))
	}, measure{a, of}, measure{b, of})
}

// lowerEntropy checks that b ends with a lower mean entropy than a.
func lowerEntropy(a, b rowOf) rule {
	return compareEntropies("mean entropy", b, a, last("test_entropy"))
}

// flatter checks that b ends with a wider spread of entropies than a, in their interquartile range.
func flatter(a, b rowOf) rule {
	return compareEntropies("middle half of the entropies", a, b, func(m []runs.Metrics) float64 {
		q := m[len(m)-1].TestQuantiles
		if q == nil {
			return math.NaN()
		}
		return q[3] - q[1]
	})
}

// entropyVanishes checks that the mean entropy is near zero at the end.
func entropyVanishes(row rowOf) rule {
	return measured(func(n []float64) finding {
		return found(atMost(n[0], entropyZero), "%s ends with a mean entropy of %s nats", row, format.Fixed(n[0], 2))
	}, measure{row, last("test_entropy")})
}

// atMost judges an entropy against a threshold. It returns Undecided if they differ by less
// than entropyMoves.
func atMost(entropy, threshold float64) Verdict {
	if math.IsNaN(threshold - entropy) {
		return NotRun
	}
	return moved(threshold - entropy)
}

// useful checks that the penalty halves the mean entropy and that the model still learns.
func useful(without, row rowOf) rule {
	return on([]rowOf{without, row}, func(e *evidence, lists [][]*runs.Run) finding {
		all, c := e.metrics(lists[1]), &lists[1][0].Config
		before, after := meanOf(e.metrics(lists[0]), last("test_entropy")), meanOf(all, last("test_entropy"))
		accuracy := meanOf(all, last("test_acc"))
		if math.IsNaN(accuracy) {
			panic(unread{fmt.Errorf("%s: no test accuracy after the last epoch", row)})
		}
		interval := widened(stats.WilsonPercent(accuracy, c.General().Evaluated(c.Data.Test.Reviews)), report.Map(all, last("test_acc"))).Within(stats.Interval{High: 100})
		return found(atMost(after, before/2).and(above(interval, learned)), "%s: entropy %s nats (without %s), accuracy %s",
			row, format.Fixed(after, 2), format.Fixed(before, 2), within(accuracy, interval))
	})
}

// vaguer checks that the tenth of the test reviews with the largest entropies is classified
// worse than the others, as expected of reviews without a sentiment.
func vaguer(row rowOf) rule {
	return onOne(row, func(_ *evidence, list []*runs.Run) finding {
		rows := report.Filter(must(list[0].Predictions()).Rows, func(r runs.Prediction) bool { return r.Label >= 0 && r.Entropy == r.Entropy })
		if len(rows) < 10 {
			panic(unread{fmt.Errorf("%s: %d reviews with a label and an entropy", list[0].Label(), len(rows))})
		}
		slices.SortStableFunc(rows, func(a, b runs.Prediction) int { return -cmp.Compare(a.Entropy, b.Entropy) })
		cut := len(rows) / 10
		var hits [2]float64 // in the tenth, and in the others
		for i, r := range rows {
			if r.Predicted == r.Label {
				hits[min(i/cut, 1)]++
			}
		}
		n, k := float64(cut), float64(len(rows)-cut)
		interval := stats.Unpaired(hits[1], k, hits[0], n)
		points, x, y := interval.Times(100), 100*hits[0]/n, 100*hits[1]/k
		return found(above(interval, 0), "%s%s: accuracy %s on the tenth of the reviews with entropies above %s nats, %s on the others, %s points more (%s)",
			row, firstSeed(list), format.Fixed(x, 2), format.Fixed(float64(rows[cut].Entropy), 2), format.Fixed(y, 2), format.Signed(y-x), format.FromTo(points.Low, points.High))
	})
}
