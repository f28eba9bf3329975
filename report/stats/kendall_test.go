package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/must"
	"imdbexp/report/stats"
)

// The example of SciPy's documentation of kendalltau (1.15), and two that can be
// counted with pencil and paper.
func TestKendallByHand(t *testing.T) {
	for _, c := range []struct {
		x, y   []float32
		tau, p float64
	}{
		{[]float32{12, 2, 1, 12, 2}, []float32{1, 4, 7, 1, 0}, -0.47140452079103173, 0.2827454599327748},
		{[]float32{1, 2, 3, 4}, []float32{1, 2, 4, 3}, 4.0 / 6, 0.1742},
		{[]float32{1, 2, 3, 4, 5}, []float32{5, 4, 3, 2, 1}, -1, 0.0143},
	} {
		tau, p := must.Get2(stats.KendallB(c.x, c.y))(t)
		require.InDelta(t, c.tau, tau, 1e-12)
		require.InDelta(t, c.p, p, 5e-5)
	}
	tau, p := must.Get2(stats.KendallB([]float32{1, 1, 1}, []float32{1, 2, 3}))(t)
	require.True(t, math.IsNaN(tau))
	require.Equal(t, 1.0, p)
	for _, bad := range [][2][]float32{{{1}, {1}}, {{1, 2}, {1}}, {{1, float32(math.NaN())}, {1, 2}}} {
		require.ErrorContains(t, must.Fail2(stats.KendallB(bad[0], bad[1])), "kendall")
	}
}

// Against a loop over all pairs; and the variance of untied numbers against its
// textbook form 2(2n+5)/(9n(n−1)).
func TestKendallAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		few := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(i int) float32 { return float32(i) }), n, n)
		x, y := few.Draw(t, "x"), few.Draw(t, "y")
		var surplus, left, right float64
		for i := range n {
			for j := range i {
				a, b := float64(x[i]-x[j]), float64(y[i]-y[j])
				switch {
				case a*b > 0:
					surplus++
				case a*b < 0:
					surplus--
				}
				if a != 0 {
					left++
				}
				if b != 0 {
					right++
				}
			}
		}
		tau, p := must.Get2(stats.KendallB(x, y))(t)
		if left == 0 || right == 0 {
			require.True(t, math.IsNaN(tau))
			return
		}
		require.InDelta(t, surplus/math.Sqrt(left*right), tau, 1e-12)
		require.True(t, p >= 0 && p <= 1)
		back, q := must.Get2(stats.KendallB(y, x))(t)
		require.InDelta(t, tau, back, 1e-12)
		require.InDelta(t, p, q, 1e-9)
		if pairs := float64(n*(n-1)) / 2; left == pairs && right == pairs {
			z := tau / math.Sqrt(2*float64(2*n+5)/float64(9*n*(n-1)))
			require.InDelta(t, math.Erfc(math.Abs(z)/math.Sqrt2), p, 1e-9)
		}
	})
}
