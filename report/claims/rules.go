package claims

import (
	"errors"
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

// and returns the verdict on two rules, of which both must hold.
func (v Verdict) and(o Verdict) Verdict {
	order := []Verdict{Holds, Undecided, Fails, NotRun}
	return order[max(slices.Index(order, v), slices.Index(order, o))]
}

// decide returns Holds, Fails or, of neither, Undecided.
func decide(holds, fails bool) Verdict {
	switch {
	case holds:
		return Holds
	case fails:
		return Fails
	}
	return Undecided
}

// above and below judge a number with its interval against a threshold.
func above(i stats.Interval, threshold float64) Verdict {
	return decide(i.Low > threshold, i.High < threshold)
}

func below(i stats.Interval, threshold float64) Verdict { return above(i.Negative(), -threshold) }

// finding is the verdict of a rule with its numbers.
type finding struct {
	verdict Verdict
	numbers string
}

func found(v Verdict, numbers string, args ...any) finding {
	return finding{v, fmt.Sprintf(numbers, args...)}
}

// within formats a number with its interval: 0.31 (0.30 to 0.32).
func within(x float64, i stats.Interval) string {
	return fmt.Sprintf("%s (%s to %s)", format.Fixed(x, 2), format.Fixed(i.Low, 2), format.Fixed(i.High, 2))
}

// rule checks a claim on the runs of one variant. It may panic with an unread.
type rule func(*evidence) finding

// unread is runs that exist but cannot be read. It ends the check of a claim.
type unread struct{ error }

func must[T any](v T, err error) T {
	if err != nil {
		panic(unread{err})
	}
	return v
}

// all combines rules: it holds when every rule holds.
func all(rules ...rule) rule {
	return func(e *evidence) finding {
		out := finding{verdict: Holds}
		for _, r := range rules {
			f := r(e)
			out.verdict = out.verdict.and(f.verdict)
			out.numbers = strings.Trim(out.numbers+"; "+f.numbers, "; ")
		}
		return out
	}
}

// not negates a rule: it holds when the rule fails.
func not(r rule) rule {
	return func(e *evidence) finding {
		f := r(e)
		if f.verdict != NotRun {
			f.verdict = decide(f.verdict == Fails, f.verdict == Holds)
		}
		return f
	}
}

// on returns a rule on the runs of rows, which must exist. The free settings may have any value.
func on(rows []rowOf, check func(e *evidence, lists [][]*runs.Run) finding, free ...string) rule {
	return func(e *evidence) finding {
		lists := make([][]*runs.Run, len(rows))
		whole := true
		for i, row := range rows {
			lists[i] = e.need(row, free...)
			whole = whole && lists[i] != nil
		}
		if !whole {
			return finding{verdict: NotRun}
		}
		return check(e, lists)
	}
}

// onOne is on for the runs of one row.
func onOne(row rowOf, check func(e *evidence, list []*runs.Run) finding, free ...string) rule {
	return on([]rowOf{row}, func(e *evidence, lists [][]*runs.Run) finding { return check(e, lists[0]) }, free...)
}

// testSettings are the settings of when to evaluate on the test set. They do not change the
// final predictions, so they are free in rules about these alone.
var testSettings = []string{"test", "test.every", "test.tail"}

// seldom are the test settings that still evaluate on the test set during training. They are
// free in rules about the final loss and the lowest loss among the evaluated epochs.
var seldom = testSettings[1:]

// whole are the settings that are free in rules about the explanations of a finished run.
var whole = append(slices.Clone(testSettings), "epochs")

// paired compares the accuracies of two rows on the same reviews and judges the interval of the difference.
func paired(a, b rowOf, judge func(stats.Interval) Verdict) rule {
	return on([]rowOf{a, b}, func(e *evidence, lists [][]*runs.Run) finding {
		return e.compared(a.String(), lists[0], b.String(), lists[1], judge)
	}, testSettings...)
}

func (e *evidence) compared(a string, first []*runs.Run, b string, second []*runs.Run, judge func(stats.Interval) Verdict) finding {
	c := must(compare.Against(e.side(a, first), e.side(b, second)))[0]
	seeds := fmt.Sprintf(", %d and %d seeds", c.Seeds[1], c.Seeds[0])
	switch {
	case c.Single():
		seeds = ", one run each: reviews alone"
	case c.Seeds[0] == 1:
		seeds += ": one seed of " + a
	case c.Seeds[1] == 1:
		seeds += ": one seed of " + b
	}
	return found(judge(c.Interval), "%s − %s: %s points (%s)%s", b, a, format.Signed(c.Difference), format.FromTo(c.Interval.Low, c.Interval.High), seeds)
}

// gains checks that b is at least points better than a.
func gains(a, b rowOf, points float64) rule {
	return paired(a, b, func(i stats.Interval) Verdict { return above(i, points) })
}

// costs checks that b is worse than a by more than noise.
func costs(a, b rowOf) rule {
	return paired(a, b, func(i stats.Interval) Verdict { return below(i, 0) })
}

// same checks that b is within points of a.
func same(a, b rowOf, points float64) rule {
	return paired(a, b, func(i stats.Interval) Verdict {
		return decide(i.Low > -points && i.High < points, i.Low > points || i.High < -points)
	})
}

// tellsF1 always holds. Its evidence is a row's F1 of the last class, which is positive for
// IMDB, averaged over the seeds.
func tellsF1(row rowOf) rule {
	return onOne(row, func(_ *evidence, list []*runs.Run) finding {
		sum := 0.0
		for _, r := range list {
			p := must(r.Predictions())
			if _, _, f1 := report.Confusion(p).Of(len(p.Classes) - 1); !math.IsNaN(f1) {
				sum += f1
			}
		}
		return found(Holds, "%s: F1 %.3f", row, sum/float64(len(list)))
	}, testSettings...)
}

// alwaysOverfits checks that every finished run of an experiment with an optimizer
// overfits, whatever its other settings. The row itself must have been run. Runs not tested
// after each epoch are skipped.
func alwaysOverfits(row rowOf) rule {
	return onOne(row, func(e *evidence, _ []*runs.Run) finding {
		groups := report.BySetting(report.Filter(e.list, func(r *runs.Run) bool {
			return r.Config.Name == row.name && r.Config.General().Optimizer.Optimizer == row.optimizer && testedEach(r)
		}))
		verdict := Holds
		var exceptions []string
		for i, name := range report.Names(groups) {
			f := e.overfit(name, groups[i])
			verdict = verdict.and(f.verdict)
			if f.verdict != Holds {
				exceptions = append(exceptions, f.numbers)
			}
		}
		numbers := fmt.Sprintf("%d of %d settings overfit", len(groups)-len(exceptions), len(groups))
		if len(exceptions) > 0 {
			numbers += ", not " + strings.Join(exceptions, "; ")
		}
		return finding{verdict, numbers}
	})
}

// neverAbove checks that no setting of the named experiments has a test accuracy above a
// limit. The needed rows must have been run.
func neverAbove(limit float64, needed []rowOf, names ...string) rule {
	return on(needed, func(e *evidence, _ [][]*runs.Run) finding {
		best, g := e.best(names)
		if g == nil {
			return finding{verdict: NotRun}
		}
		interval := stats.WilsonPercent(best, g[0].Config.Data.Test.Reviews)
		return found(below(interval, limit), "the best is %s with %s", report.SettingName(&g[0].Config, nil), within(best, interval))
	}, testSettings...)
}

// best returns the setting with the highest mean test accuracy among experiments. It
// returns nil if none was tested, as for the trials of a search. For each experiment only
// the newest result version counts.
func (e *evidence) best(names []string) (accuracy float64, best []*runs.Run) {
	accuracy = math.Inf(-1)
	behind := map[string]int{}
	for _, r := range e.list {
		if n, ok := behind[r.Config.Name]; !ok || r.Config.Behind() < n {
			behind[r.Config.Name] = r.Config.Behind()
		}
	}
	list := report.Filter(e.list, func(r *runs.Run) bool {
		return slices.Contains(names, r.Config.Name) && r.Config.Behind() <= behind[r.Config.Name]
	})
	for _, g := range report.BySetting(list) {
		values := report.Map(g, func(r *runs.Run) float64 { return e.chosen(r).Get("test_acc") })
		if m := stats.Summarise(values).Mean; m > accuracy {
			accuracy, best = m, g
		}
	}
	return accuracy, best
}

// notBetter checks that the best setting of the named experiments is not better than a row
// by more than noise. The needed rows must have been run.
func notBetter(than rowOf, needed []rowOf, names ...string) rule {
	return on(append([]rowOf{than}, needed...), func(e *evidence, lists [][]*runs.Run) finding {
		_, g := e.best(names)
		if g == nil {
			return finding{verdict: NotRun}
		}
		return e.compared(than.String(), lists[0], report.SettingName(&g[0].Config, nil), g, func(i stats.Interval) Verdict { return below(i, 0) })
	}, testSettings...)
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
	return onOne(row, func(_ *evidence, list []*runs.Run) finding {
		t := must(list[0].Table())
		c := must(list[0].Checkpoint(list[0].ChosenCheckpoint()))
		q := must(runs.TensorValues[float32](c.Params, "q", t.Dim))
		var chosen, others []float64
		for i, word := range t.Words {
			score := 0.0
			for k, x := range t.Rows[i*t.Dim:][:t.Dim] {
				score += float64(float64(q[k]) * float64(x))
			}
			if slices.Contains(opinions, word) {
				chosen = append(chosen, score)
			} else {
				others = append(others, score)
			}
		}
		area, interval := stats.AUC(chosen, others)
		if math.IsNaN(area) {
			panic(unread{errors.New(list[0].Label() + " has no words of both kinds")})
		}
		return found(below(interval, 0.5), "%s%s: one of %d words of praise and blame has a larger weight than another word with probability %s",
			row, firstSeed(list), len(chosen), within(area, interval))
	}, testSettings...)
}
