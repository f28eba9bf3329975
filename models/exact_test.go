package models_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// What a model's graph computes is what its equations say, in float64 and in the form in
// which they are written. (TrainRows: else the means of the words come from outside.)
func TestExact(t *testing.T) {
	for _, v := range variants {
		t.Run(fmt.Sprint(v.model, v.put), func(t *testing.T) {
			d := newData(lengths(fits(8, v.put))...)
			n := newNetwork(t, models.Spec{Model: newModel(t, v.model, v.put...), Weights: models.NewWeights(1), TrainRows: true})
			require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
			out, x := n.Output(), ops.NewExact()
			agree := func(node *ops.Node, name string) {
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
			agree(out.Logits, "logits")
			agree(out.Attention, "attention")
			agree(out.Entropy, "entropy")
			for _, l := range out.Layers {
				agree(l, "entropies of heads")
			}
		})
	}
}
