package report

import (
	"math"

	"imdbexp/report/stats"
	"imdbexp/runs"
)

// MacroF1 returns that of predictions in percent, see stats.Scores. Reviews without
// a known label do not count; NaN where there are none with one.
func MacroF1(p *runs.Predictions) float64 {
	s := stats.NewScores(len(p.Classes))
	for _, r := range p.Rows {
		if r.Label >= 0 {
			s.Add(r.Label, r.Predicted, nil)
		}
	}
	return 100 * s.MacroF1()
}

// ownData reports whether a run is on data that a user has added. Their classes
// may differ in number and size, so that macro-F1 says more than it does for
// IMDB and the sample, whose two classes are equal.
func ownData(c *runs.Config) bool {
	return c.Data.Name != "imdb" && c.Data.Name != "sample" && !c.Translates()
}

// macroF1 returns that of a run on own data, NaN of others and unfinished ones.
func macroF1(run *runs.Run) (float64, error) {
	if !ownData(&run.Config) || run.Status.State != runs.Finished {
		return math.NaN(), nil
	}
	p, err := run.Predictions()
	if err != nil {
		return math.NaN(), err
	}
	return MacroF1(p), nil
}

// MacroF1 sums up the macro-F1 of the seeds.
func (c *Cell) MacroF1() Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = r.MacroF1
	}
	return Summarise(values)
}

// hasMacroF1 reports whether a block has a column of it.
func (b *Block) hasMacroF1() bool {
	for _, row := range b.Rows {
		for _, c := range row.Cells {
			if c.MacroF1().N > 0 {
				return true
			}
		}
	}
	return false
}
