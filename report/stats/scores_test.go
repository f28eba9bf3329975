package stats_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	// average_precision_score([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.1])
	assert.InDelta(t, 2./3, stats.AUPRC([]bool{true, false, true, false}, []float32{0.5, 0.5, 0.5, 0.1}), 1e-9)
	one := stats.NewConfusion(2)
	one[1][1] = 4
	p, _, f = one.Of(0)
	assert.True(t, math.IsNaN(p) && math.IsNaN(f))
	assert.True(t, math.IsNaN(one.Kappa([]float64{0, 1})))
}

// marks reads x as marked.
func marks(text string) (out []bool) {
	for _, c := range text {
		out = append(out, c == 'x')
	}
	return out
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		chosen, marked string
		f1, iou        float64
	}{
		{"xx..", "xx..", 1, 1},
		{"xx..", "..xx", 0, 0},
		{"xxx.", ".x.x", 0.4, 0.25}, // of 3 chosen 1 is marked, of 2 marked 1 is chosen
		{"xxxx", "x...", 0.4, 0.25},
		{"....", "....", 0, 0},
		{"....", "x...", 0, 0},
	} {
		f1, iou := stats.Overlap(marks(c.chosen), marks(c.marked))
		require.InDelta(t, c.f1, f1, 1e-15, c.chosen)
		require.InDelta(t, c.iou, iou, 1e-15, c.chosen)
	}
}

func TestAUPRC(t *testing.T) {
	for _, c := range []struct {
		marked string
		scores []float64
		want   float64
	}{
		{"xx..", []float64{4, 3, 2, 1}, 1},
		{"x.", []float64{1, 2}, 0.5},
		{"x.x", []float64{3, 2, 1}, 0.5*1 + 0.5*2/3},
		// The example of scikit-learn's average_precision_score.
		{"..xx", []float64{0.1, 0.4, 0.35, 0.8}, 0.8333333333333333},
		{"x...", []float64{7, 7, 7, 7}, 0.25},
		// two at once: 2 of the 3 first, then the last of 4
		{"x.xx", []float64{5, 5, 5, 1}, 2.0/3*2/3 + 1.0/3*3/4},
		{"....", []float64{1, 2, 3, 4}, 0},
	} {
		require.InDelta(t, c.want, stats.AUPRC(marks(c.marked), c.scores), 1e-15, c.marked)
	}
}

// The mean over all ways to choose words, each of them looked at.
func TestMeanOverlap(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for marked := 0; marked <= n; marked++ {
			m := make([]bool, n)
			for i := range marked {
				m[i] = true
			}
			f1, iou, ways := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
			for set := range 1 << n {
				chosen := make([]bool, n)
				for i := range chosen {
					chosen[i] = set>>i&1 == 1
				}
				f, u := stats.Overlap(chosen, m)
				k := bits.OnesCount(uint(set))
				f1[k], iou[k], ways[k] = f1[k]+f, iou[k]+u, ways[k]+1
			}
			for k := range ways {
				f, u := stats.MeanOverlap(n, k, marked)
				require.InDelta(t, f1[k]/ways[k], f, 1e-12, "%d of %d, %d marked", k, n, marked)
				require.InDelta(t, iou[k]/ways[k], u, 1e-12, "%d of %d, %d marked", k, n, marked)
			}
		}
	}
	f1, iou := stats.MeanOverlap(100_000, 50_000, 50_000) // nothing overflows
	require.InDelta(t, 0.5, f1, 1e-12)
	require.InDelta(t, 1.0/3, iou, 1e-5)
}
