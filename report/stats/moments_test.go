package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/report/stats"
)

// NIST Statistical Reference Datasets, NumAcc1 and NumAcc3: exact mean and
// standard deviation.
func TestSummariseAgainstNIST(t *testing.T) {
	m := stats.Summarise([]float64{10000001, 10000003, 10000002})
	assert.Equal(t, stats.Moments{N: 3, Mean: 10000002, SD: 1}, m)

	values := []float64{1000000.2}
	for range 500 {
		values = append(values, 1000000.1, 1000000.3)
	}
	m = stats.Summarise(values)
	assert.Equal(t, 1001, m.N)
	assert.InDelta(t, 1000000.2, m.Mean, 1e-8)
	assert.InDelta(t, 0.1, m.SD, 1e-8)
}

func TestSummariseFew(t *testing.T) {
	none := stats.Summarise([]float64{math.NaN()})
	assert.Zero(t, none.N)
	assert.True(t, math.IsNaN(none.Mean))
	one := stats.Summarise([]float64{80, math.NaN()})
	assert.Equal(t, 1, one.N)
	assert.Equal(t, 80.0, one.Mean)
	assert.True(t, math.IsNaN(one.SD))
}

func TestMedian(t *testing.T) {
	values := []float64{4, 1, math.Inf(1), 2}
	assert.Equal(t, 3.0, stats.Median(values))
	assert.Equal(t, []float64{4, 1, math.Inf(1), 2}, values, "they stay as they are")
	assert.Equal(t, 2.0, stats.Median([]float64{3, 1, 2}))
	assert.True(t, math.IsNaN(stats.Median(nil)))
}
