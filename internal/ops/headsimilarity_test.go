package ops_test

import (
	"math"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

// As a term of the cost, on weights that have another reader.
func TestHeadSimilarity(t *testing.T) {
	s := float32(math.Sqrt2 / 2)
	for _, c := range []struct {
		name  string
		heads int
		w     []float32 // [2, 4]
		want  float64
	}{
		{"one head", 1, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 0},
		{"orthogonal", 2, []float32{1, 0, 0, 1, 0, 0, 0, 0}, 0},
		{"parallel", 2, []float32{1, 2, 2, 4, 3, 4, 6, 8}, 2},
		{"opposite", 2, []float32{1, 2, -1, -2, 3, 4, -3, -4}, 2},
		{"at 45 degrees", 2, []float32{1, 0, s, s, 0, 0, 0, 0}, 1},
		{"four heads, all parallel", 4, []float32{1, 2, 3, 4, 1, 2, 3, 4}, 12},
		{"a head of zeros", 2, []float32{0, 0, 1, 1, 0, 0, 1, 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			x := g.Leaf("x", g.Words(), 2, false)
			w := g.Param("w", 2, 4, c.w)
			loss := ops.CrossEntropy(ops.Mean(ops.Linear(x, w, nil)), 0, nil)
			likeness := ops.HeadSimilarity(w, c.heads)
			cost := ops.Total(ops.Term{Node: loss.Mean, Weight: 1}, ops.Term{Node: likeness, Weight: 0.5})
			grads := must.Get(g.Grad(cost, w))(t)
			m := machine(t, g)
			x.Set(ops.Mat{Rows: 3, Cols: 2, Data: []float32{1, 2, 3, 4, 5, 6}})
			require.NoError(t, m.Run(batch(2, 1), 0))
			require.InDelta(t, c.want, likeness.Mat().Data[0], 1e-6)
			require.InDelta(t, float64(loss.Mean.Mat().Data[0])+c.want/2, cost.Mat().Data[0], 1e-6)
			for _, v := range grads[0]().Data {
				require.False(t, math.IsNaN(float64(v)))
			}
		})
	}
}
