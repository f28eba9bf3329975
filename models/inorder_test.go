package models_test

import (
	"fmt"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// In a browser the ops of a graph run in their order, and backwards in the opposite one,
// without gorgonia: the loss, the gradient of every weight and of every word's vector have
// the bits that gorgonia's machine leaves.
func TestInOrder(t *testing.T) {
	lengths := []int{9, 6, 4, 40, 2, 1, 70, 3}
	d := newData(lengths...)
	for _, v := range variants {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			inOrder(t, &d.batch, d.Inputs, newNetwork(t, models.Spec{Model: newModel(t, v.Model, v.Put...), Training: true, TrainRows: true}))
		})
	}
	pairs := testnet.Pairs(lengths...)
	for _, v := range testnet.Translators {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			inOrder(t, pairs, models.Inputs{}, testnet.Translation(t, models.Spec{Model: testnet.Translator(t, v.Model, v.Put...), Training: true}))
		})
	}
}

func inOrder(t *testing.T, b *ragged.Batch, in models.Inputs, n *models.Network) {
	run := func() (out [][]float32) {
		require.NoError(t, n.Run(b, in, 5))
		for _, m := range append(n.Gradients(), ops.Mat{Data: []float32{n.Cost()}}) {
			out = append(out, slices.Clone(m.Data))
		}
		return out
	}
	want := run()
	require.NoError(t, n.InOrder())
	require.Equal(t, want, run())
	require.Equal(t, want, run(), "again")
}
