package stats_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/report/stats"
)

// By hand: the variance of 0.1, 0.2 and 0.3 is 0.01, so t = 0.2/√((1/3 + 1/4)·0.01) = 2.618615; with
// two degrees of freedom p = 1 − t/√(2 + t²), and 4.302653 is the quantile of the interval.
func TestResampled(t *testing.T) {
	e := must.Get(stats.Resampled([]float64{0.1, 0.2, 0.3}, 0.25))(t)
	assert.InDelta(t, 0.2, e.Difference, 1e-12)
	assert.InDelta(t, 0.120117, e.P, 1e-6)
	assert.InDelta(t, 0.2-0.328621, e.Interval.Low, 1e-6)
	assert.InDelta(t, 0.2+0.328621, e.Interval.High, 1e-6)

	// More divisions of the same data do not narrow it to nothing: 0.25·σ² is left.
	many := make([]float64, 10000)
	for i := range many {
		many[i] = 0.2 + 0.1*float64(1-2*(i%2))
	}
	e = must.Get(stats.Resampled(many, 0.25))(t)
	assert.InDelta(t, 1.96*0.05, e.Interval.High-e.Difference, 1e-3)

	assert.Equal(t, stats.Estimate{P: 1}, must.Get(stats.Resampled([]float64{0, 0}, 0.25))(t))
	for _, values := range [][]float64{nil, {0.1}, {0.1, 0.1}} {
		require.Error(t, must.Fail(stats.Resampled(values, 0.25)))
	}
}
