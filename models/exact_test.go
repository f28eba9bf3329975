package models_test

import (
	"fmt"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// What a model's graph computes is what its equations say, in float64 and in the form in
// which they are written. (TrainRows: else the means of the words come from outside.)
func TestExact(t *testing.T) {
	for _, v := range translators {
		t.Run(fmt.Sprint(v.model, v.put), func(t *testing.T) {
			n := newTranslation(t, models.Spec{Model: newTranslator(t, v.model, v.put...), Weights: models.NewWeights(1)})
			require.NoError(t, n.Run(newPairs(5, 3, 1), models.Inputs{}, 0))
			out, x := n.Output(), ops.NewExact()
			for _, node := range slices.Concat([]*ops.Node{out.Rows.Mean, out.Rows.Each, out.Rows.Predicted}, out.Layers, out.Encoder, out.Decoder) {
				agree(t, x, node, node.Op())
			}
		})
	}
	for _, v := range variants {
		t.Run(fmt.Sprint(v.model, v.put), func(t *testing.T) {
			d := newData(lengths(fits(8, v.put))...)
			n := newNetwork(t, models.Spec{Model: newModel(t, v.model, v.put...), Weights: models.NewWeights(1), TrainRows: true})
			require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
			out, x := n.Output(), ops.NewExact()
			agree(t, x, out.Logits, "logits")
			agree(t, x, out.Attention, "attention")
			agree(t, x, out.Entropy, "entropy")
			for _, l := range out.Layers {
				agree(t, x, l, "entropies of heads")
			}
		})
	}
}

// agree checks that a node's value is the exact one, up to rounding.
func agree(t *testing.T, x *ops.Exact, node *ops.Node, name string) {
	if node == nil {
		return
	}
	want, err := x.Value(node)
	require.NoError(t, err)
	got := node.Mat()
	require.Len(t, got.Data, len(want.Data), name)
	for i, w := range want.Data {
		require.InDelta(t, w, got.Data[i], 1e-4*max(1, w, -w), name)
	}
}
