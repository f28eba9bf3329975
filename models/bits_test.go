package models_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// Three steps of training leave the same bits in the weights at every SIMD
// level and for any number of workers.
func TestSameBits(t *testing.T) {
	reviews := 120 // of 40 words: more than one shard
	if testing.Short() {
		reviews = 12
	}
	for _, v := range variants {
		t.Run(fmt.Sprint(v.model, v.put), func(t *testing.T) {
			long := lengths(fits(reviews, v.put))
			for i := range long {
				long[i] *= 2
			}
			d := newData(long...)
			sameBits(t, &d.batch, d.Inputs, func(s models.Spec) *models.Network {
				s.Model = newModel(t, v.model, v.put...)
				return newNetwork(t, s)
			})
		})
	}
	b := newPairs(lengths(min(reviews, 40))...) // a shard is a sentence or two
	for _, v := range translators {
		t.Run(fmt.Sprint(v.model, v.put), func(t *testing.T) {
			sameBits(t, b, models.Inputs{}, func(s models.Spec) *models.Network {
				s.Model = newTranslator(t, v.model, v.put...)
				return newTranslation(t, s)
			})
		})
	}
}

// sameBits trains what build returns at every SIMD level and with more workers.
func sameBits(t *testing.T, b *ragged.Batch, in models.Inputs, build func(models.Spec) *models.Network) {
	old := simd.Current()
	defer func() { require.NoError(t, simd.Use(old)) }()
	var want []*models.Weight
	for l := simd.Portable; l <= simd.Best(); l++ {
		require.NoError(t, simd.Use(l))
		for _, workers := range []int{1, 4} {
			if l == simd.Portable && workers > 1 && simd.Best() > simd.Portable {
				continue // slow, and the workers are the same at every level
			}
			pool := ops.NewPool(workers)
			defer pool.Close()
			w := models.NewWeights(1)
			n := build(models.Spec{Weights: w, Pool: pool, Training: true})
			o := optim.NewSGD(0.1, 0.9, 0)
			for step := range 3 {
				require.NoError(t, n.Run(b, in, uint64(step)))
				require.NoError(t, o.Step(gradients(w, n)))
			}
			if want == nil {
				want = w.List()
			}
			require.Equal(t, want, w.List(), "%v, %d workers", l, workers)
		}
	}
}
