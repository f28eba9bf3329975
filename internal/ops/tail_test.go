package ops_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
)

// What depends on the attention is computed again from weights that were put there by
// hand, and nothing else is; the next run forgets them.
func TestTail(t *testing.T) {
	for _, workers := range []int{1, 3} {
		pool := newPool(t, workers)
		g := ops.NewGraph(pool, false)
		b := batch(9, 6, 1)
		x := g.Leaf("x", g.Words(), 5, false)
		h := ops.Tanh(x)
		a, entropy := ops.Attend(g.Param("q", 1, 5, random("q", 5)), h, 1)
		sum := ops.WeightedSum(a, h)
		y := ops.Linear(sum, g.Param("W", 5, 3, random("W", 15)), nil)
		loss := ops.CrossEntropy(y, 0, nil)
		tail := must.Get(a.Tail(loss.Scores))(t)
		require.Error(t, tail.Run(), "before the first run")
		m := machine(t, g)
		x.Set(ops.Mat{Rows: b.Words(), Cols: 5, Data: random("x", 5*b.Words())})
		require.NoError(t, m.Run(b, 1))
		whole := slices.Clone(loss.Scores.Mat().Data)
		require.NoError(t, tail.Run())
		require.Equal(t, whole, loss.Scores.Mat().Data, "the same weights, the same bits")

		before := slices.Clone(entropy.Mat().Data)
		weights := a.Mat().Data
		clear(weights)
		weights[2], weights[9], weights[15] = 1, 1, 1 // one word of each review
		require.NoError(t, tail.Run())
		for r, word := range []int{2, 9, 15} {
			require.Equal(t, h.Mat().Row(word), sum.Mat().Row(r))
		}
		require.NotEqual(t, whole, loss.Scores.Mat().Data)
		require.Equal(t, before, entropy.Mat().Data)
		require.NoError(t, m.Run(b, 1))
		require.Equal(t, whole, loss.Scores.Mat().Data)

		above := must.Get(h.Tail(entropy))(t) // weights that are made again beside their sums, which are not
		require.NoError(t, above.Run())
		clear(weights)
		weights[2], weights[9], weights[15] = 1, 1, 1
		require.NoError(t, tail.Run())
		require.Equal(t, h.Mat().Row(9), sum.Mat().Row(1), "by the weights that were put there since")

		require.ErrorContains(t, must.Fail(a.Tail(h)), "does not depend on the result of attend")
	}
}
