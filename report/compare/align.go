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
// which it left out. Otherwise both sides stay whole.
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
			c.note(Seeds, "only the %d common seeds are compared; %d of %s are left out", n, left, s.Name)
		}
	}
	return a, b
}

// align returns which of the common labelled reviews each run got right, and notes how many are
// not common or not labelled.
func (c *Comparison) align(first, second Side) (a, b stats.Outcomes, err error) {
	all := append(append([]*Answers(nil), first.Answers...), second.Answers...)
	right := make(stats.Outcomes, len(all))
	var unlabelled, contradicted, common int
	at := make([]int, len(all))
reviews:
	for i, review := range all[0].reviews {
		label, differs := "", false
		for k, x := range all {
			j, ok := x.find(review, i)
			if !ok {
				continue reviews
			}
			at[k] = j
			if l := x.label[j]; l != "" {
				differs = differs || label != "" && label != l
				label = l
			}
		}
		common++
		switch {
		case differs:
			contradicted++
		case label == "":
			unlabelled++
		default:
			for k, x := range all {
				right[k] = append(right[k], x.said(at[k]) == label)
			}
		}
	}
	c.Reviews = common - unlabelled - contradicted
	if c.Reviews == 0 {
		return nil, nil, c.nothing(all, common, contradicted)
	}
	c.noteReviews(all, common, unlabelled, contradicted)
	return right[:len(first.Answers)], right[len(first.Answers):], c.checkClasses(all)
}

// nothing returns the reason that there are no reviews to compare.
func (c *Comparison) nothing(all []*Answers, common, contradicted int) error {
	first := slices.Concat(all[0].reviews, []string{"none"})[0]
	last := slices.Concat(all[len(all)-1].reviews, []string{"none"})[0]
	what := fmt.Sprintf("have no %s in common (%s and %s, for example): test both on the same data", c.unit(), first, last)
	switch {
	case first == "none" && last == "none":
		what = "have no predictions of classes: exp report shows their numbers"
	case contradicted > 0:
		what = fmt.Sprintf("label all of their %s common %s differently: give the classes the same names", format.Thousands(common), c.unit())
	case common > 0:
		what = fmt.Sprintf("have %s in common, none with a label", c.counted(common))
	}
	return fmt.Errorf("%s and %s %s", c.First, c.Second, what)
}

func (c *Comparison) noteReviews(all []*Answers, common, unlabelled, contradicted int) {
	var sizes []string
	for _, a := range all {
		if n := len(a.reviews); n != common {
			sizes = append(sizes, format.Thousands(n)+" of "+a.Source)
		}
	}
	if n := len(sizes); n > 3 { // the first two of many
		sizes = []string{sizes[0], fmt.Sprintf("%s and %d more", sizes[1], n-2)}
	}
	if len(sizes) > 0 {
		c.note(OtherReviews, "only the %s common to all count, of %s", format.Thousands(common), strings.Join(sizes, ", "))
	}
	if contradicted > 0 {
		c.note(OtherLabels, "left out: %s with different labels", c.counted(contradicted))
	}
	if unlabelled > 0 {
		c.note(OtherLabels, "left out: %s without a label", c.counted(unlabelled))
	}
}

// checkClasses returns an error if no predicted class is one of the labels: the classes then have
// other names. It notes predictions of unknown classes.
func (c *Comparison) checkClasses(all []*Answers) error {
	labels := map[string]bool{}
	for _, a := range all {
		for _, l := range slices.Concat(a.label, a.others) {
			labels[l] = l != ""
		}
	}
	for _, a := range all {
		if a.exact {
			continue
		}
		unknown, example := 0, ""
		for i := range a.predicted {
			if p := a.said(i); !labels[p] {
				unknown, example = unknown+1, p
			}
		}
		switch {
		case unknown == len(a.predicted):
			return fmt.Errorf("%s predicts %q, which is not a label: give the classes the same names", a.Source, example)
		case unknown > 0:
			c.note(OtherLabels, "counted as wrong: %s of %s without a known label, such as %q", format.Counted(unknown, "prediction"), a.Source, example)
		}
	}
	return nil
}

// Difference is a setting that differs between two sides.
type Difference struct {
	Key           string
	First, Second string // values; "" for a side without the setting
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s → %s", d.Key, cmp.Or(d.First, format.None), cmp.Or(d.Second, format.None))
}

// differences returns the settings that both sides use and that differ, the model first.
// A setting that only one side has is returned if it is not at its default, unless the models are
// of different kinds. seeds says whether the seed counts.
func differences(x, y *Side, seeds bool) (out []Difference) {
	a, b := x.Config, y.Config
	kinds := a.Counts() != b.Counts()
	add := func(key, first, second string) {
		if first != second && a.Uses(key) && b.Uses(key) {
			out = append(out, Difference{key, first, second})
		}
	}
	add("model", a.Model, b.Model)
	for _, s := range a.Settings {
		other, both := b.Settings.Get(s.Key)
		if (s.Key == "seed" || s.Key == runs.TestSeedKey) && !seeds || !both && (kinds || a.From[s.Key] == "") {
			continue
		}
		add(s.Key, s.Value, other)
	}
	for _, s := range b.Settings {
		if _, both := a.Settings.Get(s.Key); !both && !kinds && b.From[s.Key] != "" {
			add(s.Key, "", s.Value)
		}
	}
	return out
}

// settings returns a sentence on the differing settings.
func (c *Comparison) settings() string {
	text := fmt.Sprintf("From %s to %s", c.First, c.Second)
	if len(c.Differ) == 0 {
		return text + " no setting differs."
	}
	text += " differ: " + joined(c.Differ, "; ")
	if len(c.Differ) == 1 && c.Differ[0].Key == "model" {
		text += "; no setting that both have"
	}
	return text + "."
}

// kinds says that settings of a single kind of model are not listed.
const kinds = "The models differ in kind: one counts n-grams, one is a network; settings that only one kind has are left out."

func joined(list []Difference, by string) string {
	return strings.Join(report.Each(list, Difference.String), by)
}

// divisions returns the divisions of the data (data.test_seed) of runs of the sides, in rising order.
func divisions(sides ...Side) (out []uint64) {
	for _, s := range sides {
		for _, a := range s.Answers {
			if s.Config != nil {
				out = report.With(out, a.division)
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
	s.Answers = slices.DeleteFunc(slices.Clone(s.Answers), func(a *Answers) bool { return a.division != division })
	return s
}

// overDivisions compares sides by their mean accuracies on the divisions that both have. Test sets
// of different divisions overlap, so their reviews are not compared together.
func (c *Comparison) overDivisions(first, second Side) error {
	if first.Config == nil || second.Config == nil {
		return fmt.Errorf("%s and %s: predictions of another program are of one test set, the runs of several (%s): name one division of the data",
			c.First, c.Second, runs.TestSeedKey)
	}
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
		c.Notes = report.With(c.Notes, part.Notes...)
	}
	if c.Divisions = len(differences); c.Divisions < 2 {
		return fmt.Errorf("%s and %s have fewer than two divisions of the data (%s) in common, and test sets of different divisions overlap: run both with the same",
			c.First, c.Second, runs.TestSeedKey)
	}
	c.Accuracy = [2]stats.Moments{stats.Summarise(accuracies[0]), stats.Summarise(accuracies[1])}
	e, err := stats.Resampled(differences, report.Ratio(first.Config))
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.First, c.Second, err)
	}
	e.Interval = e.Interval.Within(stats.Interval{Low: -1, High: 1})
	c.estimated(e, stats.ResampledMethod)
	return nil
}
