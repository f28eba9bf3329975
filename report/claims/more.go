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
