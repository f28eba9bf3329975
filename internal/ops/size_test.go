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
	attend := func(g *ops.Graph, x *ops.Node) {
		a, _ := ops.Attend(w(g, 1, 5), x, 1)
		ops.WeightedSum(a, x)
	}
	require.Equal(t, 20*5+100+8+8*5, build(false, attend), "the words of one review at a time")
	require.Equal(t, copied+2*(100+8+8*5), build(true, attend))
	require.Zero(t, build(true, func(*ops.Graph, *ops.Node) {}))

	e.Targets, e.LongestTarget = 70, 15
	loss := func(g *ops.Graph, _ *ops.Node) {
		ops.VocabularyLoss(ops.Embed(w(g, 11, 5), g.Targets()), w(g, 11, 5), nil, 0)
	}
	require.Equal(t, 70*5+1+70+70, build(false, loss))
	require.Equal(t, 2*(70*5+1+70+70)+70*11, build(true, loss), "and the logits of all rows")
	padded := func(g *ops.Graph, _ *ops.Node) { ops.Pad(ops.Embed(w(g, 11, 5), g.Targets())) }
	require.Equal(t, 70*5+8*15*5, build(false, padded), "up to the longest target")
}

// Pairs are cut more finely than reviews, by either side.
func TestShardsOfAGraph(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	e := ops.Extent{Words: 130, Reviews: 8, Targets: 256}
	require.Equal(t, 1, g.Shards(e), "a graph for reviews")
	g.Targets()
	require.Equal(t, 4, g.Shards(e))
	e.Words, e.Targets = 256, 130
	require.Equal(t, 4, g.Shards(e))
	e.Reviews = 3
	require.Equal(t, 3, g.Shards(e))
}
