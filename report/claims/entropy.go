package claims

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// firstEntropy and lastEntropy return the mean test entropy after the first and last epoch.
func firstEntropy(m []runs.Metrics) float64 { return m[0].Get("test_entropy") }
func lastEntropy(m []runs.Metrics) float64  { return m[len(m)-1].Get("test_entropy") }

// lastSpread returns the interquartile range of the entropies at the end.
func lastSpread(m []runs.Metrics) float64 {
	q := m[len(m)-1].TestQuantiles
	if q == nil {
		return math.NaN()
	}
	return q[3] - q[1]
}

// entropyFalls checks that the mean test entropy is lower after the last epoch than after
// the first.
func entropyFalls(row rowOf) rule { return entropyChange(row, -1) }

// entropyRises checks the opposite.
func entropyRises(row rowOf) rule { return entropyChange(row, 1) }

func entropyChange(row rowOf, sign float64) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		all := e.metrics(list)
		from, to := meanOf(all, firstEntropy), meanOf(all, lastEntropy)
		return finding{moved(sign * (to - from)), fmt.Sprintf("%s: %s → %s nats", row, format.Fixed(from, 2), format.Fixed(to, 2))}
	})
}

// moved judges a change of an entropy against the visible change entropyMoves.
func moved(change float64) Verdict {
	switch {
	case change >= entropyMoves:
		return Holds
	case change <= -entropyMoves:
		return Fails
	}
	return Undecided // also for NaN
}

// compareEntropies checks that a statistic of the entropies is larger for b than for a.
func compareEntropies(what string, a, b rowOf, of func([]runs.Metrics) float64) rule {
	return onBoth(a, b, func(e *evidence, first, second []*runs.Run) finding {
		x, y := meanOf(e.metrics(first), of), meanOf(e.metrics(second), of)
		return finding{moved(y - x), fmt.Sprintf("%s: %s %s, %s %s nats", what, a, format.Fixed(x, 2), b, format.Fixed(y, 2))}
	})
}

// lowerEntropy checks that b ends with a lower mean entropy than a.
func lowerEntropy(a, b rowOf) rule { return compareEntropies("mean entropy", b, a, lastEntropy) }

// flatter checks that b ends with a wider spread of entropies than a.
func flatter(a, b rowOf) rule {
	return compareEntropies("middle half of the entropies", a, b, lastSpread)
}

// entropyVanishes checks that the mean entropy is near zero at the end.
func entropyVanishes(row rowOf) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		h := meanOf(e.metrics(list), lastEntropy)
		return finding{atMost(h, entropyZero), fmt.Sprintf("%s ends with a mean entropy of %s nats", row, format.Fixed(h, 2))}
	})
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
	return onBoth(without, row, func(e *evidence, base, list []*runs.Run) finding {
		all := e.metrics(list)
		before, after := meanOf(e.metrics(base), lastEntropy), meanOf(all, lastEntropy)
		interval, accuracy, err := lastAccuracy(list, all)
		if err != nil {
			return damaged(fmt.Errorf("%s: %w", row, err))
		}
		return both2(atMost(after, before/2), above(interval, learned), fmt.Sprintf("%s: entropy %s nats (without %s), accuracy %s (%s to %s)", row,
			format.Fixed(after, 2), format.Fixed(before, 2), format.Fixed(accuracy, 2), format.Fixed(interval.Low, 2), format.Fixed(interval.High, 2)))
	})
}

// lastAccuracy returns the mean test accuracy after the last epoch with its interval.
func lastAccuracy(list []*runs.Run, all [][]runs.Metrics) (interval stats.Interval, mean float64, err error) {
	var values []float64
	for _, m := range all {
		values = append(values, m[len(m)-1].Get("test_acc"))
	}
	mean = stats.Summarise(values).Mean
	if math.IsNaN(mean) {
		return interval, mean, errors.New("no test accuracy after the last epoch")
	}
	interval, err = stats.WilsonPercent(mean, list[0].Config.General().Evaluated(list[0].Config.Data.Test.Reviews))
	interval = widened(interval, values)
	return stats.Interval{Low: max(interval.Low, 0), High: min(interval.High, 100)}, mean, err
}

// vaguer checks that the tenth of the test reviews with the largest entropies is classified
// worse than the others, as expected of reviews without a sentiment.
func vaguer(row rowOf) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		p, err := list[0].Predictions()
		if err != nil {
			return damaged(err)
		}
		rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r runs.Prediction) bool { return r.Label < 0 || r.Entropy != r.Entropy })
		if len(rows) < 10 {
			return damaged(fmt.Errorf("%s: %d reviews with a label and an entropy", list[0].Label(), len(rows)))
		}
		slices.SortStableFunc(rows, func(a, b runs.Prediction) int { return -cmp.Compare(a.Entropy, b.Entropy) })
		cut := len(rows) / 10
		top, rest := hitsOf(rows[:cut]), hitsOf(rows[cut:])
		interval, err := stats.Unpaired(rest, float64(len(rows)-cut), top, float64(cut))
		if err != nil {
			return damaged(err)
		}
		points := interval.Times(100)
		x, y := 100*top/float64(cut), 100*rest/float64(len(rows)-cut)
		return finding{above(interval, 0), fmt.Sprintf("%s%s: accuracy %s on the tenth of the reviews with entropies above %s nats, %s on the others, %s points more (%s)",
			row, firstSeed(list), format.Fixed(x, 2), format.Fixed(float64(rows[cut].Entropy), 2), format.Fixed(y, 2), format.Signed(y-x), format.FromTo(points.Low, points.High))}
	})
}

func hitsOf(rows []runs.Prediction) float64 {
	n := 0
	for _, r := range rows {
		if r.Predicted == r.Label {
			n++
		}
	}
	return float64(n)
}
