package ops_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyAttention draws settings and widths of a head.
func anyAttention(t *rapid.T) (o ops.SelfAttention, dk, dv int) {
	o = ops.SelfAttention{
		Heads: rapid.IntRange(1, 3).Draw(t, "heads"),
		Scale: rapid.Float32Range(0.1, 3).Draw(t, "scale"),
		Name:  "test",
	}
	switch rapid.SampledFrom([]string{"plain", "over", "causal"}).Draw(t, "kind") {
	case "over":
		o.OverQueries = true
	case "causal":
		o.Causal = true
	}
	width := rapid.IntRange(1, 20)
	return o, width.Draw(t, "dk"), width.Draw(t, "dv")
}

func anyBatch(t *rapid.T, longest int) *ragged.Batch {
	return batch(rapid.SliceOfN(rapid.IntRange(1, longest), 1, 4).Draw(t, "lengths")...)
}

// Values and entropies for any lengths, widths, heads and settings.
func TestAttentionOfAnyShape(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o, dk, dv := anyAttention(rt)
		o.Dropout = rapid.SampledFrom([]float32{0, 0.4}).Draw(rt, "dropout")
		b := anyBatch(rt, 150)
		a := attendingWith(t, 2, true, dk, dv, o)
		a.run(t, b)
		in := func(i, cols int) mat64 { return wide(b.Words(), o.Heads*cols, a.data[i]) }
		out, h := refAttention(b, in(0, dk), in(1, dk), in(2, dv), o)
		closeTo(t, out.at, a.out.Mat(), 2e-5)
		closeTo(t, h.at, a.h.Mat(), 2e-5)
	})
}

// Without positions self-attention does not depend on the order of the words: each word
// has the same row, and the entropy is the same.
func TestSelfAttentionKnowsNoOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o, dk, dv := anyAttention(rt)
		o.Causal = false
		n := rapid.IntRange(1, 200).Draw(rt, "words")
		order := rapid.Permutation(count(n)).Draw(rt, "order")
		a, moved := attendingWith(t, 2, false, dk, dv, o), attendingWith(t, 2, false, dk, dv, o)
		b := batch(n)
		a.run(t, b)
		moved.set(b)
		for i, x := range []*ops.Node{a.q, a.k, a.v} {
			for to, from := range order {
				copy(moved.data[i][to*x.Cols():][:x.Cols()], x.Mat().Row(from))
			}
		}
		require.NoError(t, moved.machine.Run(b, step))
		for to, from := range order {
			require.InDeltaSlice(t, a.out.Mat().Row(from), moved.out.Mat().Row(to), 2e-5, fmt.Sprint(to))
		}
		require.InDeltaSlice(t, a.h.Mat().Data, moved.h.Mat().Data, 2e-5)
	})
}

func count(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}
