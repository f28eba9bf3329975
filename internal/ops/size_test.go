package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
)

// Buffers are counted by the rows of their axes, those of derived axes too.
func TestFloats(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	e := ops.Extent{Words: 100, Reviews: 8, Longest: 20}
	build := func(training bool, of func(g *ops.Graph, x *ops.Node)) int {
		g := ops.NewGraph(pool, training)
		of(g, g.Leaf("words", g.Words(), 5, false))
		require.NoError(t, g.Err())
		return g.Floats(e)
	}
	w := func(g *ops.Graph, rows, cols int) *ops.Node {
		return g.Param("W", rows, cols, make([]float32, rows*cols))
	}
	linear := func(g *ops.Graph, x *ops.Node) { ops.Linear(x, w(g, 5, 3), nil) }
	copied := 100 * 5 // of the words, for an op that reads them in order
	require.Equal(t, copied+100*3, build(false, linear))
	require.Equal(t, copied+2*100*3, build(true, linear), "and its gradient")
	require.Equal(t, copied+108*5, build(false, func(g *ops.Graph, x *ops.Node) { ops.Prepend(x, w(g, 1, 5)) }), "a row more for each review")
	require.Equal(t, copied+8*20*5, build(false, func(_ *ops.Graph, x *ops.Node) { ops.Pad(x) }), "up to the longest")
	require.Equal(t, copied+8*5, build(false, func(_ *ops.Graph, x *ops.Node) { ops.Mean(x) }))
	require.Zero(t, build(true, func(*ops.Graph, *ops.Node) {}))
}
