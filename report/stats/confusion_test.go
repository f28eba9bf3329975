package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/report/stats"
)

// The numbers are those of scikit-learn 1.2 for the same labels and predictions.
func TestConfusion(t *testing.T) {
	c := stats.NewConfusion(3)
	labels, predicted := []int{0, 0, 1, 2, 2, 2, 1, 0}, []int{0, 1, 1, 2, 2, 0, 2, 0}
	for i := range labels {
		c[labels[i]][predicted[i]]++
	}
	assert.Equal(t, stats.Confusion{{2, 1, 0}, {0, 1, 1}, {1, 0, 2}}, c)
	p, r, f := c.Of(0)
	assert.InDeltaSlice(t, []float64{2. / 3, 2. / 3, 2. / 3}, []float64{p, r, f}, 1e-12)
	p, r, f = c.Of(1)
	assert.InDeltaSlice(t, []float64{0.5, 0.5, 0.5}, []float64{p, r, f}, 1e-12)
	// cohen_kappa_score(labels, predicted, weights="quadratic")
	assert.InDelta(t, 0.5, c.Kappa([]float64{0, 1, 2}), 1e-12)
	assert.InDelta(t, 0.5, c.MAE([]float64{0, 1, 2}), 1e-12)
	assert.InDelta(t, 5., c.MAE([]float64{1, 11, 21}), 1e-12)

	// average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
	assert.InDelta(t, 0.8333333333333333, stats.AveragePrecision([]bool{false, false, true, true}, []float32{0.1, 0.4, 0.35, 0.8}), 1e-9)
	// average_precision_score([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.1])
	assert.InDelta(t, 2./3, stats.AveragePrecision([]bool{true, false, true, false}, []float32{0.5, 0.5, 0.5, 0.1}), 1e-9)
	assert.True(t, math.IsNaN(stats.AveragePrecision([]bool{false}, []float32{1})))
	one := stats.NewConfusion(2)
	one[1][1] = 4
	p, _, f = one.Of(0)
	assert.True(t, math.IsNaN(p) && math.IsNaN(f))
	assert.True(t, math.IsNaN(one.Kappa([]float64{0, 1})))
}
