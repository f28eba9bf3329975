package models_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// A step of training allocates a few headers for each op, whatever the number
// of words or reviews.
func TestNoGarbagePerWord(t *testing.T) {
	for _, model := range []string{"mean", "simple", "values", "lstm"} {
		t.Run(model, func(t *testing.T) {
			few, many := newData(lengths(10)...), newData(lengths(90)...)
			garbage(t, 200, few.Inputs, many.Inputs, &few.batch, &many.batch, func(s models.Spec) *models.Network {
				s.Model = newModel(t, model)
				return newNetwork(t, s)
			})
		})
	}
	for _, v := range testnet.Translators {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			garbage(t, 2000, models.Inputs{}, models.Inputs{}, testnet.Pairs(lengths(10)...), testnet.Pairs(lengths(90)...), func(s models.Spec) *models.Network {
				s.Model = testnet.Translator(t, v.Model, v.Put...)
				return testnet.Translation(t, s)
			})
		})
	}
}

// garbage trains what build returns on few reviews and on nine times as many words
// and reviews.
func garbage(t *testing.T, most float64, fewIn, manyIn models.Inputs, few, many *ragged.Batch, build func(models.Spec) *models.Network) {
	count := func(b *ragged.Batch, in models.Inputs) float64 {
		pool := ops.NewPool(1)
		defer pool.Close()
		w := models.NewWeights(1)
		n, o := build(models.Spec{Weights: w, Pool: pool, Training: true}), optim.NewSGD(0.1, 0, 0)
		require.NoError(t, n.Run(b, in, 0)) // makes the buffers
		list := gradients(w, n)
		return testing.AllocsPerRun(5, func() {
			if err := n.Run(b, in, 0); err != nil {
				t.Error(err)
			}
			if err := o.Step(list); err != nil {
				t.Error(err)
			}
		})
	}
	base := count(few, fewIn)
	require.LessOrEqual(t, base, most)
	require.LessOrEqual(t, count(many, manyIn), base+8)
}
