package compare

import (
	"fmt"
	"slices"

	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// divisions returns the divisions of the data (data.test_seed) of runs of the sides, in rising order.
func divisions(sides ...Side) (out []uint64) {
	for _, s := range sides {
		for _, a := range s.Answers {
			if s.Config != nil && !slices.Contains(out, a.division) {
				out = append(out, a.division)
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
		for _, note := range part.Notes {
			if !slices.Contains(c.Notes, note) {
				c.Notes = append(c.Notes, note)
			}
		}
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
