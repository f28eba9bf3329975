package report

import (
	"math"

	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Confusion counts the predictions of reviews with a known label.
func Confusion(p *runs.Predictions) stats.Confusion {
	c := stats.NewConfusion(len(p.Classes))
	for _, r := range p.Rows {
		if r.Label >= 0 {
			c[r.Label][r.Predicted]++
		}
	}
	return c
}

// MacroF1 returns the macro-F1 of predictions in percent, see runs.MacroF1. It is NaN without reviews.
func MacroF1(c stats.Confusion) float64 {
	labels, predicted, _ := c.Sums()
	right, named := make([]int, len(c)), make([]int, len(c))
	for i := range c {
		right[i], named[i] = c[i][i], labels[i]+predicted[i]
	}
	return runs.MacroF1(right, named)
}

// OwnData reports whether a run is on data that a user has added. Its classes may differ in number
// and size. For IMDB and the sample macro-F1 adds little, because their two classes are equal.
func OwnData(c *runs.Config) bool {
	return c.Data.Name != "imdb" && c.Data.Name != "sample" && c.Task() == runs.Reviews
}

// ownPredictions returns the predictions of a finished run on own data; nil for other runs, and for
// those never evaluated on the test set.
func ownPredictions(run *runs.Run) (*runs.Predictions, error) {
	if !OwnData(&run.Config) || run.Status.State != runs.Finished || run.Config.Untested() {
		return nil, nil
	}
	return run.Predictions()
}

// AnyMacroF1 returns the macro-F1 of a finished run on any data. It reads the predictions if needed.
func (r *Result) AnyMacroF1() (float64, error) {
	if !math.IsNaN(r.MacroF1) || !r.Finished || r.Config.Untested() {
		return r.MacroF1, nil
	}
	p, err := r.Run.Predictions()
	if err != nil {
		return math.NaN(), err
	}
	r.MacroF1 = MacroF1(Confusion(p))
	return r.MacroF1, nil
}
