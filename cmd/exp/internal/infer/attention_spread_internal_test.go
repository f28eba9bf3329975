package infer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
)

// By hand: two queries meet two keys. Over the keys the first has the scores 0 and 2, of
// variance 1, and weights ¼ and ¾; over the queries each key has its own.
func TestSpreadOf(t *testing.T) {
	w := ops.Weighing{
		Scale:   0.5,
		Scores:  ops.Wide{Rows: 2, Cols: 2, Data: []float64{0, 2, 3, 3}},
		Weights: ops.Wide{Rows: 2, Cols: 2, Data: []float64{0.25, 0.75, 0.5, 0.5}},
	}
	quarter := 0.25*math.Log(4) + 0.75*math.Log(4.0/3)
	s := spreadOf(w)
	require.InDelta(t, (1+0)/2.0, s.Dots, 1e-12)
	require.InDelta(t, 0.25*s.Dots, s.Variance, 1e-12)
	require.InDelta(t, (quarter+math.Ln2)/2, s.Entropy, 1e-12)
	require.InDelta(t, (quarter/math.Ln2+1)/2, s.Share, 1e-12)
	require.InDelta(t, (0.75+0.5)/2, s.Largest, 1e-12)
	require.InDelta(t, 1-(0.0625+0.5625+0.25+0.25)/2, s.Slope, 1e-12)

	w.OverQueries, w.Weights.Data = true, []float64{0, 0.5, 1, 0.5}
	s = spreadOf(w)
	require.InDelta(t, (2.25+0.25)/2, s.Dots, 1e-12)
	require.InDelta(t, math.Ln2/2, s.Entropy, 1e-12)
	require.InDelta(t, 0.25, s.Slope, 1e-12)

	one := ops.Wide{Rows: 1, Cols: 1, Data: []float64{1}}
	require.True(t, math.IsNaN(spreadOf(ops.Weighing{Scale: 1, Scores: one, Weights: one}).Share))
}
