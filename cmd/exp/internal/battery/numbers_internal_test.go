package battery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/report/canvas"
)

// Intervals of a statistic are written alike: with both ends, if one of them is uneven.
func TestCells(t *testing.T) {
	var r Result
	r.medianOf("m", "", "", []float64{5, 1, 4, 2, 3, 9, 8, 7, 6, 10})
	require.Equal(t, Value{Statistic: "m", N: 10, Value: 5.5, Low: 1, High: 10}, r.Values[0])
	cells := func() (out []string) {
		for _, c := range r.Tables()[0].Rows[0] {
			out = append(out, c.Text)
		}
		return out
	}
	require.Equal(t, []string{"", "5.500 ± 4.500"}, cells())
	r.share("s", "", "", 5, 10)
	require.Equal(t, []string{"", "5.500 ± 4.500", "0.500 ± 0.263"}, cells())
	r.share("s", "b", "", 1, 10) // a statistic's intervals are written alike
	require.Equal(t, []string{"", "5.500 ± 4.500", "0.500 (0.237–0.763)"}, cells())
}

func TestConclusion(t *testing.T) {
	agree, erase, other := &Result{Test: "agreement"}, &Result{Test: "erasure"}, &Result{Test: "sanity"}
	agree.add("τ", "gradient × input", "", 9, 0.3, 0.2, 0.4)
	for of, x := range map[string]float64{"attention": 0.4, "random": 0.1} {
		erase.add(eraserComprehensiveness, of, "", 9, x, x, x)
	}
	require.Equal(t, []string{
		"Attention and gradients partly agree about which words count: Kendall's τ is 0.300, where 1 is the same order and 0 is chance.",
		"Removing the most attended words lowers the probability by 0.400 on average, random words by 0.100; no other score finds words that matter more.",
	}, Conclusion([]*Result{agree, erase, other, {Test: "adversary", Lacks: "no attention"}, {Test: "permutation"}}))
}

// The bars of a figure end where the table's intervals do: a share of 0.98 of few reviews
// may be 0.9, but not 1.04.
func TestErasureIsDrawnWithinItsIntervals(t *testing.T) {
	r := &Result{Test: "erasure"}
	for range eraseShares {
		r.share("decisions flipped", "attention", "10 %", 58, 60)
		r.add("comprehensiveness", "attention", "10 %", 60, 0.9, 0.7, 1.1)
		r.add("sufficiency", "attention", "10 %", 60, 0.1, -0.1, 0.3)
	}
	r.Clip()
	figures := must.Get(erasure.Draw(r, Head{Name: "x"}))(t)
	require.Contains(t, figures[0].Caption, "bars: 95 % intervals")
	panels := figures[0].Panels(canvas.Style{Unit: 1})
	var ends [][2]float64 // of the axes, whose margins are alike
	for _, p := range panels {
		ends = append(ends, [2]float64{p.Y.Min, p.Y.Max})
	}
	const margin = 0.03
	low, high := float64(r.Values[0].Low), float64(r.Values[0].High)
	comprehensiveness, sufficiency, flipped := 0.3, 0.4, high-low
	require.InDelta(t, 1+margin*comprehensiveness, ends[0][1], 1e-9)
	require.InDelta(t, -0.1-margin*sufficiency, ends[1][0], 1e-9)
	require.InDelta(t, high+margin*flipped, ends[2][1], 1e-9)
	require.InDelta(t, low-margin*flipped, ends[2][0], 1e-9)
	require.Greater(t, 58.0/60+flipped/2, 1.0, "half of its width on either side would pass 1")
}
