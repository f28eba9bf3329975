package report_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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
	for _, v := range []float64{stats.NewScores(2).Accuracy(), stats.NewScores(2).ECE(), stats.NewScores(2).Brier()} {
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

func TestPairedAgainstPublished(t *testing.T) {
	for _, c := range []struct {
		source       string
		n, b, c      int
		low, high, p float64 // NaN: not given there
		digits       float64
	}{
		{"Fagerland, Lydersen and Laake 2014, airway hyper-responsiveness: −0.517 to −0.026 the other way", 21, 1, 7, 0.026, 0.517, 0.0339, 5e-4},
		{"Agresti 2002, table 10.1: approval ratings, z² = 17.36", 1600, 86, 150, math.NaN(), math.NaN(), 3.1e-5, 5e-7},
		{"Wilson's for none of n: z²/(n + z²)", 100, 0, 0, -3.841459 / 103.841459, 3.841459 / 103.841459, 1, 1e-8},
		{"all of them", 30, 0, 30, math.NaN(), 1, math.NaN(), 0},
	} {
		got := stats.Paired(c.n, c.b, c.c)
		for _, x := range [][2]float64{{c.low, got.Interval.Low}, {c.high, got.Interval.High}, {c.p, got.P}} {
			if !math.IsNaN(x[0]) {
				assert.InDelta(t, x[0], x[1], c.digits+1e-15, c.source)
			}
		}
	}
}

// It was once: −1.2 points, 95 % interval −2.35 to −0.04, p = 0.059.
func TestPairedAgreesWithItself(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for b := 0; b <= n; b++ {
			for c := 0; b+c <= n; c++ {
				agree(t, n, b, c)
			}
		}
	}
	e := agree(t, 1000, 23, 11)
	assert.InDelta(t, 0.0396, e.P, 5e-5)
	assert.Less(t, e.Interval.High, 0.0)
}

func agree(t require.TestingT, n, b, c int) stats.Estimate {
	e := stats.Paired(n, b, c)
	require.Equal(t, e.Interval.Holds(0), e.P >= 1-stats.Level, "%d: %d, %d: %+v", n, b, c, e)
	require.True(t, -1 <= e.Interval.Low && e.Interval.Low <= e.Difference && e.Difference <= e.Interval.High && e.Interval.High <= 1, "%d: %d, %d: %+v", n, b, c, e)
	mirrored := stats.Paired(n, c, b)
	require.Equal(t, e, stats.Estimate{Difference: -mirrored.Difference, Interval: mirrored.Interval.Negative(), P: mirrored.P})
	return e
}

func TestPairedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(t, "n")
		b := rapid.IntRange(0, n).Draw(t, "b")
		c := rapid.IntRange(0, n-b).Draw(t, "c")
		e := agree(t, n, b, c)
		if b > 0 { // one thing changes sides
			more := agree(t, n, b-1, c+1)
			require.Greater(t, more.Difference, e.Difference)
			require.GreaterOrEqual(t, more.Interval.Low, e.Interval.Low)
			require.GreaterOrEqual(t, more.Interval.High, e.Interval.High)
			if c >= b {
				require.True(t, more.P < e.P || more.P == 0, "the less alike, the smaller p")
			}
		}
		larger := agree(t, 2*n, b, c) // as many discordant pairs among more
		require.Equal(t, e.P, larger.P, "p is that of the discordant pairs")
		if 2*(b+c) <= n {
			require.Less(t, larger.Interval.High-larger.Interval.Low, e.Interval.High-e.Interval.Low)
		}
	})
}
