package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/report"
	"imdbexp/report/stats"
)

func TestScoresByHand(t *testing.T) {
	s := stats.NewScores(2)
	// Confidences 0.9 and 0.85 share the bin (0.8667, 0.9333] … and (0.8, 0.8667].
	s.Add(0, 0, []float32{0.9, 0.1})
	s.Add(1, 0, []float32{0.9, 0.1})
	s.Add(1, 1, []float32{0.15, 0.85})
	s.Add(1, 1, []float32{0.5, 0.5})
	assert.Equal(t, 4, s.N())
	assert.Equal(t, 3, s.Right())
	assert.InDelta(t, 0.75, s.Accuracy(), 1e-12)
	assert.InDelta(t, (0.02+1.62+0.045+0.5)/4, s.Brier(), 1e-7)
	// |1 − 1.8| of two at 0.9, |1 − 0.85| and |1 − 0.5| of one each.
	assert.InDelta(t, (0.8+0.15+0.5)/4, s.ECE(), 1e-7)
	assert.InDelta(t, 100*(2.0/3+4.0/5)/2, report.MacroF1(s.Confusion), 1e-12)
	one := stats.NewScores(3) // as scikit-learn: f1_score([1, 1], [1, 1], average="macro") is 1
	one.Add(1, 1, []float32{0, 1, 0})
	one.Add(1, 1, []float32{0, 1, 0})
	assert.Equal(t, 100.0, report.MacroF1(one.Confusion))
	one.Add(1, 2, []float32{0, 0, 1}) // f1_score([1, 1, 1], [1, 1, 2], average="macro")
	assert.InDelta(t, 40, report.MacroF1(one.Confusion), 1e-12)
	for _, v := range []float64{stats.NewScores(2).Accuracy(), stats.NewScores(2).ECE(), stats.NewScores(2).Brier(), report.MacroF1(stats.NewConfusion(2))} {
		assert.True(t, math.IsNaN(v), "no reviews")
	}
}

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
