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
	return c.Data.Name != "imdb" && c.Data.Name != "sample" && c.Task() == runs.Reviews
}

// ownPredictions returns those of a run on own data; nil of others, unfinished ones and
// those that never look at test.
func ownPredictions(run *runs.Run) (*runs.Predictions, error) {
	if !ownData(&run.Config) || run.Status.State != runs.Finished || run.Config.Untested() {
		return nil, nil
	}
	return run.Predictions()
}

// AnyMacroF1 returns that of a finished run on any data, read at need.
func (r *Result) AnyMacroF1() (float64, error) {
	if !math.IsNaN(r.MacroF1) || !r.Finished || r.Config.Untested() {
		return r.MacroF1, nil
	}
	p, err := r.Run.Predictions()
	if err != nil {
		return math.NaN(), err
	}
	r.MacroF1 = MacroF1(p)
	return r.MacroF1, nil
}
