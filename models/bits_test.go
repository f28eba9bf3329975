package models_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
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
	old := simd.Current()
	defer func() { require.NoError(t, simd.Use(old)) }()
	for _, v := range variants {
		t.Run(fmt.Sprint(v.model, v.put), func(t *testing.T) {
			long := lengths(fits(reviews, v.put))
			for i := range long {
				long[i] *= 2
			}
			d := newData(long...)
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
					n := newNetwork(t, models.Spec{Model: newModel(t, v.model, v.put...), Weights: w, Pool: pool, Training: true})
					o := optim.NewSGD(0.1, 0.9, 0)
					for step := range 3 {
						require.NoError(t, n.Run(&d.batch, d.Inputs, uint64(step)))
						require.NoError(t, o.Step(gradients(w, n)))
					}
					if want == nil {
						want = w.List()
					}
					require.Equal(t, want, w.List(), "%v, %d workers", l, workers)
				}
			}
		})
	}
}
