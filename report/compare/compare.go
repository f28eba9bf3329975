// Package compare answers: is the difference between two sets of runs more than noise?
// Two single runs are compared on the reviews that they share (McNemar's score test), several
// seeds by a bootstrap over seeds and reviews; a Ladder does so slip by slip between two
// variants of an experiment.
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

// Side is one side of a comparison: the runs of one setting, one for each seed, or
// what another program predicts.
type Side struct {
	Name    string
	Config  *runs.Config // settings of one of the runs; nil for another program
	Answers []*Answers   // by seed

	Means func(key string) bool // whether a setting has a meaning for the model; nil: all have
}

// means reports whether a setting has a meaning on this side.
func (s *Side) means(key string) bool { return s.Means == nil || s.Means(key) }

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
	OtherReviews report.Kind = "other reviews"  // only some reviews are common
	OtherLabels  report.Kind = "labels"         // a review has no label, or two
	Seeds        report.Kind = "seeds"          // what the interval says about seeds
	OtherSource  report.Kind = "different data" // digests differ
)

// Comparison is the difference of two sides in accuracy on the test reviews that
// they have in common, in points, positive where the second is better.
type Comparison struct {
	First, Second string
	Seeds         [2]int // runs of each side
	Paired        bool   // by seed: run i of both has the same
	Pairs         bool   // of sentences, by exact match, instead of reviews
	Reviews       int    // in common, with a label
	Differ        []Difference
	known         bool // what Differ is, even if it is nothing
	kinds         bool // one side counts n-grams, the other is a network
	Accuracy      [2]stats.Moments

	Difference float64
	Interval   stats.Interval // 95 %, of this comparison alone: 0 lies in it exactly when P is 0.05 or more
	Only       [2]int         // reviews that only one of two single runs gets right
	Method     string         // behind P
	P          float64        // two-sided
	Adjusted   float64        // P, by Holm's correction over all comparisons of a table

	Notes []report.Note
}

// unit is what both sides were tested on.
func (c *Comparison) unit() string {
	if c.Pairs {
		return "pairs"
	}
	return "reviews"
}

// counted is a number of them in words.
func (c *Comparison) counted(n int) string {
	return format.Counted(n, strings.TrimSuffix(c.unit(), "s"))
}

// score is what they are compared by.
func (c *Comparison) score() string {
	if c.Pairs {
		return "exact match"
	}
	return "accuracy"
}

// Noise reports whether the difference may well be none, by P as adjusted for all
// comparisons of a table. Of one alone that is whether the interval holds 0.
func (c *Comparison) Noise() bool { return !(c.Adjusted < 1-stats.Level) }

// Against compares the first side with each of the others. Two single runs are
// compared on their reviews alone (stats.Paired); where there are several seeds, by a
// bootstrap over seeds and reviews (stats.Bootstrap). Either gives P and Interval by one
// test; Interval is that of each comparison alone, whatever their number.
func Against(first Side, others ...Side) ([]*Comparison, error) {
	var out []*Comparison
	for _, s := range others {
		c, err := compare(first, s)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, adjust(out)
}

// adjust corrects the P of all of a table by Holm's method.
func adjust(list []*Comparison) error {
	p := make([]float64, len(list))
	for i, c := range list {
		p[i] = c.P
	}
	adjusted, err := stats.Holm(p)
	if err != nil {
		return err
	}
	for i, c := range list {
		c.Adjusted = adjusted[i]
	}
	return nil
}

// compare compares two sides; the P is not adjusted.
func compare(first, second Side) (*Comparison, error) {
	if len(first.Answers) == 0 || len(second.Answers) == 0 {
		return nil, fmt.Errorf("%s and %s: want predictions on either side", first.Name, second.Name)
	}
	c := &Comparison{First: first.Name, Second: second.Name, Pairs: first.Answers[0].exact, Notes: differentData(first, second)}
	first, second = c.pair(first, second)
	c.Seeds = [2]int{len(first.Answers), len(second.Answers)}
	if first.Config != nil && second.Config != nil {
		c.kinds = first.Config.Counts() != second.Config.Counts()
		c.Differ, c.known = differences(&first, &second, c.Single()), true
	}
	a, b, err := c.align(first, second)
	if err != nil {
		return nil, err
	}
	c.Accuracy = [2]stats.Moments{summariseOutcomes(a), summariseOutcomes(b)}
	if len(a) == 1 && len(b) == 1 {
		return c, c.single(a[0], b[0])
	}
	return c, c.resample(a, b)
}

// single compares two runs.
func (c *Comparison) single(a, b []bool) error {
	for i := range a {
		switch {
		case a[i] && !b[i]:
			c.Only[0]++
		case b[i] && !a[i]:
			c.Only[1]++
		}
	}
	e, err := stats.Paired(c.Reviews, c.Only[0], c.Only[1])
	if err != nil {
		return err
	}
	c.estimated(e, stats.PairedMethod)
	c.Notes = append(c.Notes, report.Note{Kind: Seeds, Text: "one run a side: the interval covers other " + c.unit() + ", not other seeds"})
	return nil
}

// resampleSeed is that of every bootstrap here: the same runs give the same
// interval.
const resampleSeed = 1

// resample compares groups of seeds.
func (c *Comparison) resample(a, b stats.Outcomes) error {
	e, err := stats.Bootstrap(a, b, stats.Options{Paired: c.Paired, Seed: resampleSeed})
	if err != nil {
		return err
	}
	c.estimated(e, "bootstrap over seeds and "+c.unit())
	if c.Paired && c.Seeds[0] == 2 { // stats.Bootstrap has the numbers
		c.Notes = append(c.Notes, report.Note{Kind: Seeds, Text: "two pairs: where seeds differ much the interval is too short; three are better"})
	}
	for i, name := range []string{c.First, c.Second} {
		if c.Seeds[i] == 1 {
			c.Notes = append(c.Notes, report.Note{Kind: Seeds, Text: fmt.Sprintf("one seed of %s: the interval says nothing about its others", name)})
		}
	}
	return nil
}

// estimated takes an estimate over, in points.
func (c *Comparison) estimated(e stats.Estimate, method string) {
	c.Difference, c.Interval, c.P, c.Method = 100*e.Difference, e.Interval.Times(100), e.P, method
}

func summariseOutcomes(o stats.Outcomes) stats.Moments {
	values := o.Accuracies()
	for i := range values {
		values[i] *= 100
	}
	return stats.Summarise(values)
}

// differentData notes digests that differ.
func differentData(sides ...Side) []report.Note {
	var digests []string
	for _, s := range sides {
		for _, a := range s.Answers {
			if a.Data != "" && !slices.Contains(digests, a.Data) {
				digests = append(digests, a.Data)
			}
		}
	}
	if len(digests) < 2 {
		return nil
	}
	for i, d := range digests {
		digests[i] = format.Short(d)
	}
	return []report.Note{{Kind: OtherSource, Text: "digests " + strings.Join(digests, " and ")}}
}
