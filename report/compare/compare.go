// Package compare tests whether the difference between two sets of runs is more than noise, see Against. A Ladder
// compares two variants of an experiment slip by slip.
package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Side is one side of a comparison: the runs of one setting, one for each seed.
type Side struct {
	Name    string
	Config  *runs.Config // settings of one of the runs; nil in a ladder, which names them itself
	Answers []*Answers   // by seed
}

// ReadSide reads the predictions of runs of one setting.
func ReadSide(name string, list []*runs.Run) (Side, error) {
	s := Side{Name: name}
	var last *Answers
	for _, r := range list {
		s.Config = &r.Config
		a, err := ReadAnswers(r, last)
		if err != nil {
			return Side{}, err
		}
		last = a
		s.Answers = append(s.Answers, a)
	}
	slices.SortStableFunc(s.Answers, func(a, b *Answers) int { return cmp.Compare(a.Seed, b.Seed) })
	return s, nil
}

// Kinds of notes on comparisons.
const (
	OtherReviews report.Kind = "other reviews" // only some reviews are common
	Seeds        report.Kind = "seeds"         // a limit of the interval
)

// Comparison is the difference of two sides in accuracy on their common test reviews, in points,
// positive if the second is better.
type Comparison struct {
	First, Second string
	Seeds         [2]int   // runs of each side
	Paired        bool     // run i of both sides has the same seed
	Divisions     int      // of the data into train and test that both sides have; 0: one test set
	Pairs         bool     // sentence pairs, compared by exact match, instead of reviews
	Reviews       int      // common ones with a label; with several divisions, those of the largest test set
	Differ        []string // the settings in which they differ; none in a ladder
	kinds         bool     // one side counts n-grams, the other is a network
	Accuracy      [2]stats.Moments

	stats.Estimate         // in points, of this comparison alone
	Only           [2]int  // reviews that only one of two single runs gets right
	Method         string  // the test that gives P
	Adjusted       float64 // P, by Holm's correction over all comparisons of a table

	Notes []report.Note
}

// unit names the items that both sides were tested on.
func (c *Comparison) unit() string { return map[bool]string{false: "reviews", true: "pairs"}[c.Pairs] }

// counted formats n and the unit.
func (c *Comparison) counted(n int) string {
	return format.Counted(n, strings.TrimSuffix(c.unit(), "s"))
}

// score names the score that is compared.
func (c *Comparison) score() string {
	return map[bool]string{false: "accuracy", true: "exact match"}[c.Pairs]
}

// Noise reports whether the difference is not significant, by P adjusted for all comparisons of a
// table. For a single comparison the interval then contains 0.
func (c *Comparison) Noise() bool { return !(c.Adjusted < 1-stats.Level) }

// Against compares the first side with each of the others: two single runs by stats.Paired, several seeds by
// stats.Crossed, several divisions of the data by stats.Resampled. P and Interval come from the same test. Intervals are
// not adjusted for the number of comparisons.
func Against(first Side, others ...Side) ([]*Comparison, error) {
	var out []*Comparison
	for _, s := range others {
		c, err := compare(first, s)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	adjust(out)
	return out, nil
}

// adjust corrects the P values of a table by Holm's method.
func adjust(list []*Comparison) {
	p := report.Map(list, func(c *Comparison) float64 { return c.P })
	for i, adjusted := range stats.Holm(p) {
		list[i].Adjusted = adjusted
	}
}

// compare compares two sides without adjusting P.
func compare(first, second Side) (*Comparison, error) {
	if len(first.Answers) == 0 || len(second.Answers) == 0 {
		return nil, fmt.Errorf("%s and %s: both sides need predictions", first.Name, second.Name)
	}
	c := &Comparison{First: first.Name, Second: second.Name, Pairs: first.Answers[0].exact}
	several := OneTestSet(first, second) != nil
	if !several {
		first, second = c.pair(first, second)
	}
	c.Seeds = [2]int{len(first.Answers), len(second.Answers)}
	if first.Config != nil && second.Config != nil {
		c.kinds = first.Config.Counts() != second.Config.Counts()
		c.Differ = differences(first.Config, second.Config, c.Single())
	}
	if several {
		return c, c.overDivisions(first, second)
	}
	a, b, err := c.align(first, second)
	if err != nil {
		return nil, err
	}
	c.Accuracy = [2]stats.Moments{summariseOutcomes(a), summariseOutcomes(b)}
	if c.Estimate, c.Only, err = estimate(a, b, c.Paired); err != nil {
		return nil, err
	}
	c.Method = fmt.Sprintf(stats.CrossedMethod, c.unit())
	switch {
	case c.Single():
		c.Method = stats.PairedMethod
		c.note(Seeds, "one run on each side: the interval covers other %s, not other seeds", c.unit())
	case c.Paired && c.Seeds[0] == 2:
		c.note(Seeds, "two pairs: the interval is long, because two seeds say little about others; use three or more")
	}
	for i, s := range []Side{first, second} {
		switch random := s.Config == nil || !s.Config.Counts(); {
		case !random && c.Seeds[i] > 1:
			c.note(report.Unseeded, "the seed changes nothing in %s, so its %d results count as one", s.Name, c.Seeds[i])
		case random && c.Seeds[i] == 1 && !c.Single():
			c.note(Seeds, "one seed of %s: the interval does not cover its other seeds", s.Name)
		}
	}
	return c, nil
}

func (c *Comparison) note(kind report.Kind, format string, args ...any) {
	c.Notes = append(c.Notes, report.Note{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// estimate estimates the difference of two accuracies, in points: of two runs by McNemar's test, of several seeds
// by an analysis of variance. only is how many items only one of two runs gets right.
func estimate(a, b stats.Outcomes, paired bool) (e stats.Estimate, only [2]int, err error) {
	if len(a) > 1 || len(b) > 1 {
		e, err = stats.Crossed(a, b, paired)
		return points(e), only, err
	}
	for i, right := range a[0] {
		switch {
		case right && !b[0][i]:
			only[0]++
		case !right && b[0][i]:
			only[1]++
		}
	}
	return points(stats.Paired(len(a[0]), only[0], only[1])), only, nil
}

// points returns an estimate in points.
func points(e stats.Estimate) stats.Estimate {
	return stats.Estimate{Difference: 100 * e.Difference, Interval: e.Interval.Times(100), P: e.P}
}

func summariseOutcomes(o stats.Outcomes) stats.Moments {
	values := o.Accuracies()
	for i := range values {
		values[i] *= 100
	}
	return stats.Summarise(values)
}

// Answers says which test reviews, or sentence pairs, a run got right. Those without a label are not among them.
type Answers struct {
	Seed     uint64
	source   string // the run's label
	division uint64 // data.test_seed of the run
	exact    bool   // of translations

	reviews []string // answers on one data set share them to save memory
	right   []bool
	at      map[string]int // review → index; nil until it is needed
}

// NoPredictionsError is a run without predictions to compare.
type NoPredictionsError struct {
	Run *runs.Run
	Err error // the read error for a finished run; nil for other runs
}

func (e *NoPredictionsError) Error() string {
	why := fmt.Sprintf("it is %s", e.Run.Status)
	if e.Err != nil {
		why = e.Err.Error()
	}
	return fmt.Sprintf("%s has no predictions to compare: %s", e.Run.Label(), why)
}

// Unwrap returns why they cannot be read.
func (e *NoPredictionsError) Unwrap() error { return e.Err }

// ReadAnswers reads the predictions of a finished run; without any the error is a NoPredictionsError. The reviews are
// shared with like, which may be nil, if they are the same.
func ReadAnswers(run *runs.Run, like *Answers) (*Answers, error) {
	if run.Status.State != runs.Finished {
		return nil, &NoPredictionsError{Run: run}
	}
	answers, err := run.Answers()
	if err != nil {
		return nil, &NoPredictionsError{run, err}
	}
	a := NewAnswers(run.Label(), run.Config.Seed(), answers)
	a.division = run.Config.General().TestSeed
	if like != nil && slices.Equal(a.reviews, like.reviews) {
		a.reviews = like.reviews
	}
	return a, nil
}

// NewAnswers compares predictions, or greedy translations, with their labels.
func NewAnswers(source string, seed uint64, answers runs.Answers) *Answers {
	a := &Answers{source: source, Seed: seed}
	switch p := answers.(type) {
	case *runs.Predictions:
		for i := range p.Rows {
			if r := &p.Rows[i]; r.Label >= 0 {
				a.reviews, a.right = append(a.reviews, r.Review), append(a.right, r.Label == r.Predicted)
			}
		}
	case runs.Translations:
		a.exact = true
		for _, t := range p {
			a.reviews, a.right = append(a.reviews, t.Pair), append(a.right, t.Greedy == t.Reference)
		}
	}
	return a
}

// find returns the index of a review, trying its index in other answers first.
func (a *Answers) find(review string, near int) (int, bool) {
	if near < len(a.reviews) && a.reviews[near] == review {
		return near, true
	}
	if a.at == nil {
		a.at = map[string]int{}
		for i, r := range a.reviews {
			a.at[r] = i
		}
	}
	i, ok := a.at[review]
	return i, ok
}
