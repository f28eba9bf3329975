package stats_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/report/stats"
)

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
