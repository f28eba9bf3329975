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

// pair keeps the seeds that both sides have, in the same order, if there are two or more, and notes
// how many it omits. Otherwise it changes nothing.
func (c *Comparison) pair(first, second Side) (Side, Side) {
	a, b := first, second
	a.Answers, b.Answers = nil, nil
	for _, x := range first.Answers {
		if i := slices.IndexFunc(second.Answers, func(y *Answers) bool { return y.Seed == x.Seed }); i >= 0 {
			a.Answers, b.Answers = append(a.Answers, x), append(b.Answers, second.Answers[i])
		}
	}
	n := len(a.Answers)
	if n < 2 {
		return first, second
	}
	c.Paired = true
	for _, s := range []Side{first, second} {
		if left := len(s.Answers) - n; left > 0 {
			c.note(Seeds, "only the %d common seeds are compared; %s has %d more", n, s.Name, left)
		}
	}
	return a, b
}

// align returns which of the common reviews each run got right, and notes how many are not common.
func (c *Comparison) align(first, second Side) (a, b stats.Outcomes, err error) {
	all := slices.Concat(first.Answers, second.Answers)
	right, at := make(stats.Outcomes, len(all)), make([]int, len(all))
	for i, review := range all[0].reviews {
		common := true
		for k, x := range all {
			var has bool
			at[k], has = x.find(review, i)
			common = common && has
		}
		for k, x := range all {
			if common {
				right[k] = append(right[k], x.right[at[k]])
			}
		}
	}
	c.Reviews = len(right[0])
	if c.Reviews == 0 {
		return nil, nil, c.nothing(all)
	}
	var sizes []string
	for _, x := range all {
		if n := len(x.reviews); n != c.Reviews {
			sizes = append(sizes, format.Thousands(n)+" of "+x.source)
		}
	}
	if len(sizes) > 0 {
		c.note(OtherReviews, "only the %s common to all are compared, of %s", format.Thousands(c.Reviews), report.Few(sizes, 3))
	}
	return right[:len(first.Answers)], right[len(first.Answers):], nil
}

// nothing returns the reason that there are no reviews to compare.
func (c *Comparison) nothing(all []*Answers) error {
	a, b := all[0].reviews, all[len(all)-1].reviews
	if len(a) == 0 || len(b) == 0 {
		return fmt.Errorf("%s and %s need predictions of %s with a label; exp report shows other numbers", c.First, c.Second, c.unit())
	}
	return fmt.Errorf("%s and %s have no %s in common (%s and %s, for example): test both on the same data", c.First, c.Second, c.unit(), a[0], b[0])
}

// differences returns the settings that both sides use and that differ, the model first, with their values.
// A setting that only one side has is returned if it is not at its default, unless the models are
// of different kinds. If seeds is true, the seed is compared too.
func differences(a, b *runs.Config, seeds bool) (out []string) {
	otherKind := a.Counts() != b.Counts()
	add := func(key, first, second string) {
		if first != second && a.Uses(key) && b.Uses(key) {
			out = append(out, fmt.Sprintf("%s %s → %s", key, cmp.Or(first, format.None), cmp.Or(second, format.None)))
		}
	}
	add("model", a.Model, b.Model)
	add("content of the data", format.Short(a.Digests["data"]), format.Short(b.Digests["data"]))
	for _, s := range a.Settings {
		other, both := b.Settings.Get(s.Key)
		if (s.Key == "seed" || s.Key == runs.TestSeedKey) && !seeds || !both && (otherKind || a.From[s.Key] == "") {
			continue
		}
		add(s.Key, s.Value, other)
	}
	for _, s := range b.Settings {
		if _, both := a.Settings.Get(s.Key); !both && !otherKind && b.From[s.Key] != "" {
			add(s.Key, "", s.Value)
		}
	}
	return out
}

// settings returns a sentence on the differing settings.
func (c *Comparison) settings() string {
	if len(c.Differ) == 0 {
		return fmt.Sprintf("Between %s and %s no setting differs.", c.First, c.Second)
	}
	return fmt.Sprintf("Between %s and %s these settings differ: %s.", c.First, c.Second, strings.Join(c.Differ, "; "))
}

// kinds is the remark of a comparison of models of different kinds.
const kinds = "The models differ in kind: one counts n-grams, one is a network; settings that only one kind has are omitted."

// divisions returns the divisions of the data (data.test_seed) of the runs of the sides, sorted.
func divisions(sides ...Side) (out []uint64) {
	for _, s := range sides {
		for _, a := range s.Answers {
			if s.Config != nil {
				out = report.Union(out, a.division)
			}
		}
	}
	slices.Sort(out)
	return out
}

// OneTestSet returns an error if the runs of the sides are of several divisions of their data.
func OneTestSet(sides ...Side) error {
	if list := divisions(sides...); len(list) > 1 {
		return fmt.Errorf("the runs have different test sets (%s=%d and %d): name one division, such as %s[%[1]s=%[3]d]",
			runs.TestSeedKey, list[0], list[1], sides[0].Config.Name)
	}
	return nil
}

// on returns the side with its runs on a division of the data.
func (s Side) on(division uint64) Side {
	s.Answers = report.Filter(s.Answers, func(a *Answers) bool { return a.division == division })
	return s
}

// overDivisions compares sides by their mean accuracies on the divisions that both have. Test sets
// of different divisions overlap, so their reviews are not pooled.
func (c *Comparison) overDivisions(first, second Side) error {
	c.Seeds, c.Paired = [2]int{}, true
	var accuracies [2][]float64
	var differences []float64
	for _, d := range divisions(first) {
		x, y := first.on(d), second.on(d)
		if len(y.Answers) == 0 {
			continue
		}
		part := Comparison{First: c.First, Second: c.Second, Pairs: c.Pairs}
		a, b, err := part.align(x, y)
		if err != nil {
			return fmt.Errorf("%s=%d: %w", runs.TestSeedKey, d, err)
		}
		for i, m := range []stats.Moments{summariseOutcomes(a), summariseOutcomes(b)} {
			accuracies[i] = append(accuracies[i], m.Mean)
		}
		n := len(differences)
		differences = append(differences, (accuracies[1][n]-accuracies[0][n])/100)
		c.Reviews = max(c.Reviews, part.Reviews)
		c.Seeds[0], c.Seeds[1] = c.Seeds[0]+len(a), c.Seeds[1]+len(b)
		c.Notes = report.Union(c.Notes, part.Notes...)
	}
	if c.Divisions = len(differences); c.Divisions < 2 {
		return fmt.Errorf("%s and %s have fewer than two divisions of the data (%s) in common: train both with the same two or more",
			c.First, c.Second, runs.TestSeedKey)
	}
	c.Accuracy = [2]stats.Moments{stats.Summarise(accuracies[0]), stats.Summarise(accuracies[1])}
	e, err := stats.Resampled(differences, report.Ratio(first.Config))
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.First, c.Second, err)
	}
	e.Interval = e.Interval.Within(stats.Interval{Low: -1, High: 1})
	c.Estimate, c.Method = points(e), stats.ResampledMethod
	return nil
}
