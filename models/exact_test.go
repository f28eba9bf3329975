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
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			d := newData(lengths(fits(8, v.Put))...)
			n := newNetwork(t, models.Spec{Model: newModel(t, v.Model, v.Put...), Weights: models.NewWeights(1), TrainRows: true})
			require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
			out, x := n.Output(), ops.NewExact()
			result, _ := out.Objective.Result() // the logits, or the queries of a language model
			agree(t, x, result, "result")
			agree(t, x, out.Attention, "attention")
			agree(t, x, out.Entropy, "entropy")
			for _, l := range out.Layers {
				agree(t, x, l, "entropies of heads")
			}
		})
	}
}
