package battery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/report/canvas"
)

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
	figures, err := erasure.Draw(r, Head{Name: "x"})
	require.NoError(t, err)
	require.Contains(t, figures[0].Caption, "bars: 95 % intervals")
	panels, err := figures[0].Panels(canvas.Style{Unit: 1})
	require.NoError(t, err)
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
