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

// Explained is the result of a test of exp explain on a run.
type Explained struct {
	Run    string // ID
	Test   string // its name
	Values []ExplainedValue
}

// ExplainedValue is one number with its 95 % interval, which is NaN if there is none.
type ExplainedValue struct {
	Statistic, Of, Part string // as in explain.csv
	Reviews             int    // number of reviews
	Value, Low, High    float64
	Within              stats.Interval // possible range of the number
}

// number names a number in the results of exp explain.
type number struct{ test, statistic, of, part string }

// Asked returns the test, statistic, score and part of each number used by the claims.
func Asked() (out [][4]string) {
	for _, n := range askedOf {
		out = append(out, [4]string{n.test, n.statistic, n.of, n.part})
	}
	return out
}

// told is a number of one setting: the mean over its seeds, with an interval over seeds and
// reviews. With a single seed the interval covers reviews only.
type told struct {
	mean           float64
	interval       stats.Interval
	seeds, reviews int
}

// String formats the number with its interval: 0.31 (0.30 to 0.32).
func (t told) String() string {
	return fmt.Sprintf("%s (%s to %s)", t.short(), format.Fixed(t.interval.Low, 2), format.Fixed(t.interval.High, 2))
}

func (t told) short() string { return format.Fixed(t.mean, 2) }

// aboveThat judges whether the number is larger than another, assuming independence.
func (t told) aboveThat(o told) Verdict {
	low := math.Hypot(t.mean-t.interval.Low, o.interval.High-o.mean) // intervals may be asymmetric
	high := math.Hypot(t.interval.High-t.mean, o.mean-o.interval.Low)
	return above(stats.Interval{Low: t.mean - o.mean - low, High: t.mean - o.mean + high}, 0)
}

// explained returns a rule on the results of exp explain for a row's runs of any number of
// epochs. The other rows must have been run.
func explained(row rowOf, numbers []number, check func([]told) finding, others ...rowOf) rule {
	return func(e *evidence) finding {
		n := e.explainedNumbers(row, numbers)
		for _, o := range others {
			e.need(o, whole...)
		}
		if n == nil {
			return finding{verdict: NotRun}
		}
		f := check(n)
		f.numbers = row.String() + n[0].from() + ": " + f.numbers
		return f
	}
}

// explainedBoth checks that a number is larger for one row than for another.
func explainedBoth(row, than rowOf, n number) rule {
	return func(e *evidence) finding {
		a, b := e.explainedNumbers(row, []number{n}), e.explainedNumbers(than, []number{n})
		if a == nil || b == nil {
			return finding{verdict: NotRun}
		}
		return finding{a[0].aboveThat(b[0]), fmt.Sprintf("%s%s: %s; %s%s: %s", row, a[0].from(), a[0], than, b[0].from(), b[0])}
	}
}

// from describes the seeds and reviews behind the number.
func (t told) from() string {
	if t.seeds == 1 {
		return fmt.Sprintf(" (1 seed, %d reviews)", t.reviews)
	}
	return fmt.Sprintf(" (%d seeds, %d reviews)", t.seeds, t.reviews)
}

// explainedNumbers returns numbers over the runs of a row that have all of them. If there are
// none, it returns nil and records the missing run or explanation. It uses the newest result
// version and, among several settings, the one with the most seeds.
func (e *evidence) explainedNumbers(row rowOf, numbers []number) []told {
	found := e.need(row, whole...)
	if found == nil {
		return nil
	}
	fit := slices.DeleteFunc(slices.Clone(e.list), func(r *runs.Run) bool {
		return !row.fits(r, whole...) || r.Config.Behind() != found[0].Config.Behind()
	})
	var best [][]ExplainedValue // of each run
	for _, group := range report.BySetting(fit) {
		var told [][]ExplainedValue
		for _, r := range group {
			if v := e.valuesOf(r, numbers); v != nil {
				told = append(told, v)
			}
		}
		if len(told) > len(best) {
			best = told
		}
	}
	if best == nil {
		words := []string{"explain"}
		for _, r := range found {
			words = append(words, r.Config.ShortID())
		}
		e.unexplained = append(e.unexplained, append(words, "--tests", numbers[0].test, "--out", "explained"))
		return nil
	}
	out := make([]told, len(numbers))
	for i := range numbers {
		values, own := make([]float64, len(best)), make([]stats.Interval, len(best))
		for k := range best {
			values[k], own[k] = best[k][i].Value, stats.Interval{Low: best[k][i].Low, High: best[k][i].High}
		}
		v := best[0][i]
		out[i] = told{v.Value, stats.Interval{Low: v.Low, High: v.High}, len(best), v.Reviews}
		if mean, interval, err := stats.OverSeeds(values, own, v.Within); err == nil {
			out[i].mean, out[i].interval = mean, interval
		}
	}
	return out
}

// valuesOf returns the numbers of a run, or nil unless it has all of them. Among several
// results it uses the one with the most reviews.
func (e *evidence) valuesOf(r *runs.Run, numbers []number) (best []ExplainedValue) {
	for _, x := range e.explained {
		if x.Run != r.Config.ID || x.Test != numbers[0].test {
			continue
		}
		var list []ExplainedValue
		for _, w := range numbers {
			i := slices.IndexFunc(x.Values, func(v ExplainedValue) bool { return v.Statistic == w.statistic && v.Of == w.of && v.Part == w.part })
			if i >= 0 {
				list = append(list, x.Values[i])
			}
		}
		if len(list) == len(numbers) && (best == nil || list[0].Reviews > best[0].Reviews) {
			best = list
		}
	}
	return best
}
