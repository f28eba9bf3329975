package report

import (
	"math"

	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Uniform is the entropy of uniform attention over a test review of typical length. Histograms
// mark it.
type Uniform struct {
	Nats float64 // 0: none, because attention also covers padding
	At   string  // its review length: "median" of the test reviews, or "mean" before there are predictions
}

// UniformOf returns the uniform entropy of a run.
func UniformOf(run *runs.Run) Uniform {
	p, err := run.Predictions()
	if err != nil {
		p = &runs.Predictions{}
	}
	return UniformIn(&run.Config, p)
}

// UniformIn returns the uniform entropy of a run with these predictions, which may be empty.
func UniformIn(c *runs.Config, p *runs.Predictions) Uniform {
	var logs []float64 // of the numbers of words
	for _, r := range p.Rows {
		if r.Words > 0 {
			logs = append(logs, math.Log(float64(r.Words)))
		}
	}
	median, mean := stats.Median(logs), math.Log(float64(c.Data.Test.Words)/float64(max(1, c.Data.Test.Reviews)))
	switch {
	case c.Padded():
		return Uniform{}
	case median > 0:
		return Uniform{median, "median"}
	case mean > 0:
		return Uniform{mean, "mean"}
	}
	return Uniform{}
}
