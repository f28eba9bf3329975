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

// Explained is what a test of exp explain has come to on a run.
type Explained struct {
	Run    string // ID
	Test   string // its name
	Values []ExplainedValue
}

// ExplainedValue is one number with its 95 % interval, NaNs where there is none.
type ExplainedValue struct {
	Statistic, Of, Part string // as in explain.csv
	Reviews             int    // behind it
	Value, Low, High    float64
	Within              stats.Interval // what the number can be
}

// number names one that exp explain tells of a run.
type number struct{ test, statistic, of, part string }

// Asked returns the test, statistic, score and part of each number that claims go by.
func Asked() (out [][4]string) {
	for _, n := range askedOf {
		out = append(out, [4]string{n.test, n.statistic, n.of, n.part})
	}
	return out
}

// told is a number of one setting: the mean over its seeds with an interval over seeds and
// reviews, of one seed what it has come to with the interval over its reviews.
type told struct {
	mean           float64
	interval       stats.Interval
	seeds, reviews int
}

// String is such as 0.31 (0.30 to 0.32).
func (t told) String() string {
	return fmt.Sprintf("%s (%s to %s)", t.short(), format.Fixed(t.interval.Low, 2), format.Fixed(t.interval.High, 2))
}

func (t told) short() string { return format.Fixed(t.mean, 2) }

// aboveThat judges whether it is larger than another, as if the two knew nothing of each
// other.
func (t told) aboveThat(o told) Verdict {
	low := math.Hypot(t.mean-t.interval.Low, o.interval.High-o.mean) // the ends may be uneven
	high := math.Hypot(t.interval.High-t.mean, o.mean-o.interval.Low)
	return above(stats.Interval{Low: t.mean - o.mean - low, High: t.mean - o.mean + high}, 0)
}

// explained is a rule on what exp explain tells of a row's runs, of however many epochs;
// the other rows must have been run.
func explained(row rowOf, wanted []number, check func([]told) finding, others ...rowOf) rule {
	return func(e *evidence) finding {
		n := e.tells(row, wanted)
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

// explainedBoth: a number of one row is larger than that of another.
func explainedBoth(row, than rowOf, n number) rule {
	return func(e *evidence) finding {
		a, b := e.tells(row, []number{n}), e.tells(than, []number{n})
		if a == nil || b == nil {
			return finding{verdict: NotRun}
		}
		return finding{a[0].aboveThat(b[0]), fmt.Sprintf("%s%s: %s; %s%s: %s", row, a[0].from(), a[0], than, b[0].from(), b[0])}
	}
}

// from says what the number is of.
func (t told) from() string {
	if t.seeds == 1 {
		return fmt.Sprintf(" (1 seed, %d reviews)", t.reviews)
	}
	return fmt.Sprintf(" (%d seeds, %d reviews)", t.seeds, t.reviews)
}

// tells returns numbers of the runs of a row that have all of them; nil, and what is missing
// noted, when there are none. Of several result versions the newest counts, of several settings
// the one with the most seeds.
func (e *evidence) tells(row rowOf, wanted []number) []told {
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
			if v := e.valuesOf(r, wanted); v != nil {
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
		e.unexplained = append(e.unexplained, append(words, "--tests", wanted[0].test, "--out", "explained"))
		return nil
	}
	out := make([]told, len(wanted))
	for i := range wanted {
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

// valuesOf returns the numbers of a run, of several results that of the most reviews; nil
// unless all are there.
func (e *evidence) valuesOf(r *runs.Run, wanted []number) []ExplainedValue {
	var best []ExplainedValue
	for _, x := range e.explained {
		if x.Run != r.Config.ID || x.Test != wanted[0].test {
			continue
		}
		var list []ExplainedValue
		for _, w := range wanted {
			i := slices.IndexFunc(x.Values, func(v ExplainedValue) bool { return v.Statistic == w.statistic && v.Of == w.of && v.Part == w.part })
			if i >= 0 {
				list = append(list, x.Values[i])
			}
		}
		if len(list) == len(wanted) && (best == nil || list[0].Reviews > best[0].Reviews) {
			best = list
		}
	}
	return best
}
