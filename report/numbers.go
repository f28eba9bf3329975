package report

import "imdbexp/runs"

// PublishedMetrics returns the numbers of a published row, where zero means none.
func PublishedMetrics(p *runs.Published) *runs.Metrics {
	number := func(v float64) *float64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	return &runs.Metrics{
		Epoch:     p.Epochs,
		TrainLoss: number(p.TrainLoss), TestLoss: number(p.TestLoss),
		TrainAcc: number(p.TrainAcc), TestAcc: number(p.TestAcc),
	}
}
