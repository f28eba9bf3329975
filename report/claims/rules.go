package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Verdict is the result of checking a claim on the runs.
type Verdict string

// The verdicts; when several are combined, the last one wins. Undecided means that the
// interval contains the threshold, or that a fixed threshold is reached in neither direction.
const (
	Holds     Verdict = "holds"
	Undecided Verdict = "undecided"
	Fails     Verdict = "fails"
	NotRun    Verdict = "not run yet"
)

var verdictRank = map[Verdict]int{Holds: 0, Undecided: 1, Fails: 2, NotRun: 3}

// finding is the verdict of a rule with its numbers.
type finding struct {
	verdict Verdict
	numbers string
}

// rule checks a claim on the runs of one variant.
type rule func(*evidence) finding

// all combines rules: it holds when every rule holds.
func all(rules ...rule) rule {
	return func(e *evidence) finding {
		out := finding{verdict: Holds}
		var numbers []string
		for _, r := range rules {
			f := r(e)
			if verdictRank[f.verdict] > verdictRank[out.verdict] {
				out.verdict = f.verdict
			}
			if f.numbers != "" {
				numbers = append(numbers, f.numbers)
			}
		}
		out.numbers = strings.Join(numbers, "; ")
		return out
	}
}

// not negates a rule: it holds when the rule fails.
func not(r rule) rule {
	return func(e *evidence) finding {
		f := r(e)
		switch f.verdict {
		case Holds:
			f.verdict = Fails
		case Fails:
			f.verdict = Holds
		}
		return f
	}
}

// on returns a rule on the runs of a row, which must exist. The free settings may have any
// value.
func on(row rowOf, check func(*evidence, []*runs.Run) finding, free ...string) rule {
	return onBoth(row, row, func(e *evidence, list, _ []*runs.Run) finding { return check(e, list) }, free...)
}

// onBoth returns a rule on the runs of two rows.
func onBoth(a, b rowOf, check func(e *evidence, first, second []*runs.Run) finding, free ...string) rule {
	return func(e *evidence) finding {
		first, second := e.need(a, free...), e.need(b, free...)
		if first == nil || second == nil {
			return finding{verdict: NotRun}
		}
		return check(e, first, second)
	}
}

// judged returns a finding that holds or fails, without regard to noise. The verdict is
// NotRun if a number in by is NaN, as for runs that cannot be read.
func judged(holds bool, numbers string, by ...float64) finding {
	switch {
	case slices.ContainsFunc(by, math.IsNaN):
		return finding{NotRun, numbers}
	case holds:
		return finding{Holds, numbers}
	}
	return finding{Fails, numbers}
}

// damaged returns the finding for runs that exist but cannot be read.
func damaged(err error) finding {
	return finding{NotRun, "cannot be read: " + strings.ReplaceAll(err.Error(), "\n", " ")}
}

// testSettings are the settings of when to evaluate on the test set. They do not change the
// final predictions, so they are free in rules about these alone.
var testSettings = []string{"test", "test.every", "test.tail"}

// seldom are the test settings that still evaluate on the test set during training. They are
// free in rules about the final loss and the lowest loss among the evaluated epochs.
var seldom = testSettings[1:]

// whole are the settings that are free in rules about the explanations of a finished run.
var whole = append(slices.Clone(testSettings), "epochs")

// above judges a number with its interval against a threshold.
func above(i stats.Interval, threshold float64) Verdict {
	switch {
	case i.Low > threshold:
		return Holds
	case i.High < threshold:
		return Fails
	}
	return Undecided
}

// paired compares the accuracies of two rows on the same reviews and judges it.
func paired(a, b rowOf, judge func(*compare.Comparison) Verdict) rule {
	return onBoth(a, b, func(e *evidence, first, second []*runs.Run) finding {
		return e.compared(a.String(), first, b.String(), second, judge)
	}, testSettings...)
}

func (e *evidence) compared(a string, first []*runs.Run, b string, second []*runs.Run, judge func(*compare.Comparison) Verdict) finding {
	x, err := e.side(a, first)
	if err != nil {
		return damaged(err)
	}
	y, err := e.side(b, second)
	if err != nil {
		return damaged(err)
	}
	list, err := compare.Against(x, y)
	if err != nil {
		return damaged(err)
	}
	c := list[0]
	return finding{judge(c), fmt.Sprintf("%s − %s: %s points (%s)%s", b, a, format.Signed(c.Difference), format.FromTo(c.Interval.Low, c.Interval.High), seedCount(c))}
}

// tellsF1 always holds. Its evidence is a row's F1 of the last class, which is positive for
// IMDB, averaged over the seeds.
func tellsF1(row rowOf) rule {
	return on(row, func(_ *evidence, list []*runs.Run) finding {
		sum := 0.0
		for _, r := range list {
			p, err := r.Predictions()
			if err != nil {
				return damaged(err)
			}
			last, hits, either := len(p.Classes)-1, 0, 0
			for _, row := range p.Rows {
				if row.Label == last && row.Predicted == last {
					hits++
				}
				for _, class := range []int{row.Label, row.Predicted} {
					if class == last {
						either++
					}
				}
			}
			sum += 2 * float64(hits) / float64(max(either, 1))
		}
		return finding{Holds, fmt.Sprintf("%s: F1 %.3f", row, sum/float64(len(list)))}
	}, testSettings...)
}

// seedCount describes the seeds that an interval covers.
func seedCount(c *compare.Comparison) string {
	text := fmt.Sprintf(", %d and %d seeds", c.Seeds[1], c.Seeds[0])
	switch {
	case c.Single():
		return ", one run each: reviews alone"
	case c.Seeds[0] == 1:
		return text + ": one seed of " + c.First
	case c.Seeds[1] == 1:
		return text + ": one seed of " + c.Second
	}
	return text
}

// gains checks that b is at least points better than a.
func gains(a, b rowOf, points float64) rule {
	return paired(a, b, func(c *compare.Comparison) Verdict { return above(c.Interval, points) })
}

// costs checks that b is worse than a by more than noise.
func costs(a, b rowOf) rule {
	return paired(a, b, func(c *compare.Comparison) Verdict { return above(c.Interval.Negative(), 0) })
}

// same checks that b is within points of a.
func same(a, b rowOf, points float64) rule {
	return paired(a, b, func(c *compare.Comparison) Verdict {
		switch {
		case c.Interval.Low > -points && c.Interval.High < points:
			return Holds
		case c.Interval.Low > points || c.Interval.High < -points:
			return Fails
		}
		return Undecided
	})
}

// alwaysOverfits checks that every finished run of an experiment with an optimizer
// overfits, whatever its other settings. The row itself must have been run. Runs that were
// not tested after each epoch, such as the trials of a search, are skipped.
func alwaysOverfits(row rowOf) rule {
	return func(e *evidence) finding {
		if e.need(row) == nil {
			return finding{verdict: NotRun}
		}
		var list []*runs.Run
		for _, r := range e.list {
			if r.Config.Name == row.name && r.Config.General().Optimizer.Optimizer == row.optimizer && testedEach(r) {
				list = append(list, r)
			}
		}
		out := finding{verdict: Holds}
		groups := report.BySetting(list)
		var exceptions []string
		names := report.Names(groups)
		for i, g := range groups {
			f := e.overfit(names[i], g)
			if verdictRank[f.verdict] > verdictRank[out.verdict] {
				out.verdict = f.verdict
			}
			if f.verdict != Holds {
				exceptions = append(exceptions, f.numbers)
			}
		}
		out.numbers = fmt.Sprintf("%d of %d settings overfit", len(groups)-len(exceptions), len(groups))
		if len(exceptions) > 0 {
			out.numbers += ", not " + strings.Join(exceptions, "; ")
		}
		return out
	}
}

// neverAbove checks that no setting of the named experiments has a test accuracy above a
// limit. The needed rows must have been run.
func neverAbove(limit float64, needed []rowOf, names ...string) rule {
	return func(e *evidence) finding {
		for _, row := range needed {
			if e.need(row, testSettings...) == nil {
				return finding{verdict: NotRun}
			}
		}
		best, g := e.best(names)
		if g == nil {
			return finding{verdict: NotRun}
		}
		interval, err := stats.WilsonPercent(best, g[0].Config.Data.Test.Reviews)
		if err != nil {
			return damaged(err)
		}
		return finding{above(interval.Negative(), -limit), fmt.Sprintf("the best is %s with %s (%s to %s)",
			report.SettingName(&g[0].Config), format.Fixed(best, 2), format.Fixed(interval.Low, 2), format.Fixed(interval.High, 2))}
	}
}

// best returns the setting with the highest mean test accuracy among experiments. It
// returns nil if none was tested, as for the trials of a search. For each experiment only
// the newest result version counts.
func (e *evidence) best(names []string) (accuracy float64, best []*runs.Run) {
	accuracy = math.NaN()
	behind := map[string]int{}
	var list []*runs.Run
	for _, r := range e.list {
		if !slices.Contains(names, r.Config.Name) {
			continue
		}
		list = append(list, r)
		if n, ok := behind[r.Config.Name]; !ok || r.Config.Behind() < n {
			behind[r.Config.Name] = r.Config.Behind()
		}
	}
	list = slices.DeleteFunc(list, func(r *runs.Run) bool { return r.Config.Behind() > behind[r.Config.Name] })
	for _, g := range report.BySetting(list) {
		values := make([]float64, len(g))
		for i, r := range g {
			values[i] = e.chosen(r).Get("test_acc")
		}
		m := stats.Summarise(values).Mean
		if !math.IsNaN(m) && (best == nil || m > accuracy) {
			accuracy, best = m, g
		}
	}
	return accuracy, best
}

// notBetter checks that the best setting of the named experiments is not better than a row
// by more than noise. The needed rows must have been run.
func notBetter(than rowOf, needed []rowOf, names ...string) rule {
	return func(e *evidence) finding {
		base := e.need(than, testSettings...)
		for _, row := range needed {
			e.need(row, testSettings...)
		}
		if len(e.missing) > 0 {
			return finding{verdict: NotRun}
		}
		_, g := e.best(names)
		if g == nil {
			return finding{verdict: NotRun}
		}
		return e.compared(than.String(), base, report.SettingName(&g[0].Config), g, func(c *compare.Comparison) Verdict {
			return above(c.Interval.Negative(), 0)
		})
	}
}

// opinions are words of praise and of blame that readers would underline.
var opinions = strings.Fields(`good great excellent wonderful amazing superb fantastic brilliant perfect best beautiful
	enjoyable masterpiece outstanding touching terrific delightful memorable favorite loved
	bad worst awful terrible boring horrible poor waste dull stupid lame ridiculous annoying disappointing mess
	pathetic worse crap pointless laughable`)

// overlooksOpinions checks that a model with a global query does not give words of praise
// and blame larger scores q·x than other words. Its attention weight depends on the word
// alone, so the scores of the vocabulary apply to every review.
func overlooksOpinions(row rowOf) rule {
	return on(row, func(e *evidence, list []*runs.Run) finding {
		scores, err := wordScores(list[0])
		if err != nil {
			return damaged(err)
		}
		var chosen, others []float64
		for word, s := range scores {
			if slices.Contains(opinions, word) {
				chosen = append(chosen, s)
			} else {
				others = append(others, s)
			}
		}
		slices.Sort(chosen) // a fixed order of summation
		area, interval, err := stats.AUC(chosen, others)
		if err != nil {
			return damaged(fmt.Errorf("%s: %w", list[0].Label(), err))
		}
		return finding{above(interval.Negative(), -0.5), fmt.Sprintf(
			"%s%s: one of %d words of praise and blame has a larger weight than another word with probability %s (%s to %s)",
			row, firstSeed(list), len(chosen), format.Fixed(area, 2), format.Fixed(interval.Low, 2), format.Fixed(interval.High, 2))}
	}, testSettings...)
}

// wordScores returns q·x for every word in the vocabulary of a run with a global query.
func wordScores(run *runs.Run) (map[string]float64, error) {
	t, err := run.Table()
	if err != nil {
		return nil, err
	}
	c, err := run.Checkpoint(run.ChosenCheckpoint())
	if err != nil {
		return nil, err
	}
	q, err := runs.Numbers[float32](c.Params, "q", t.Dim)
	if err != nil {
		return nil, err
	}
	out := make(map[string]float64, len(t.Words))
	for i, w := range t.Words {
		sum := 0.0
		for k, x := range t.Rows[i*t.Dim:][:t.Dim] {
			sum += float64(float64(q[k]) * float64(x))
		}
		out[w] = sum
	}
	return out, nil
}
