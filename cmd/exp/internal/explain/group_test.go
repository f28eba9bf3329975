package explain

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
)

// The mean of three seeds with Student's interval, 1, 2, 3 give 2 ± 4.3027/√3, and that of the
// reviews, which are 0.5 below and 1 above each.
func TestSeedsTogether(t *testing.T) {
	var g group
	for seed := range 3 {
		g = append(g, &Explained{Run: "tme9-lstm/abc", ID: "abc", About: "optimizer=sgd, seed=7", Reviews: 5, Of: 9, Results: []*battery.Result{
			{Test: "erasure", Reviews: 5, Values: []battery.Value{{Statistic: "s", N: 5, Value: battery.Number(seed + 1), Low: battery.Number(seed) + 0.5, High: battery.Number(seed) + 2}}, Series: []battery.Series{{Name: "one's own"}}},
		}})
	}
	g[0].Results[0].Values = append(g[0].Results[0].Values, battery.Value{Statistic: "of one seed alone"})
	w := g.whole()
	require.Equal(t, "tme9-lstm, 3 seeds", w.Run)
	require.Equal(t, "abc-3-seeds", w.ID, "which names its figures")
	require.Equal(t, "optimizer=sgd", w.About)
	require.Contains(t, w.facts(), "means over 3 seeds")
	require.Len(t, w.Results[0].Values, 1)
	v := w.Results[0].Values[0]
	require.InDelta(t, 2, float64(v.Value), 1e-12)
	require.InDelta(t, math.Hypot(4.302652729911275/math.Sqrt(3), 0.5), float64(v.Value-v.Low), 1e-6)
	require.InDelta(t, math.Hypot(4.302652729911275/math.Sqrt(3), 1), float64(v.High-v.Value), 1e-6)
	require.Empty(t, w.Results[0].Series)
	require.Same(t, g[0], g[:1].whole())
}
