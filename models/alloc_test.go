package models_test

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/simd"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// A step of training allocates a few headers for each op, whatever the number
// of words or reviews.
func TestNoGarbagePerWord(t *testing.T) {
	for _, model := range []string{"mean", "simple", "values", "lstm"} {
		t.Run(model, func(t *testing.T) {
			count := func(reviews int) float64 {
				pool := ops.NewPool(1)
				defer pool.Close()
				w := models.NewWeights(1)
				n := newNetwork(t, models.Spec{Model: newModel(t, model), Weights: w, Pool: pool, Training: true})
				d, o := newData(lengths(reviews)...), optim.NewSGD(0.1, 0, 0)
				require.NoError(t, n.Run(&d.batch, d.Inputs, 0)) // makes the buffers
				list := gradients(w, n)
				return testing.AllocsPerRun(5, func() {
					if err := n.Run(&d.batch, d.Inputs, 0); err != nil {
						t.Error(err)
					}
					if err := o.Step(list); err != nil {
						t.Error(err)
					}
				})
			}
			few, many := count(10), count(90)
			require.LessOrEqual(t, few, 200.0)
			require.LessOrEqual(t, many, few+8, "nine times as many words and reviews")
		})
	}
}

// imdb is a batch like IMDB's: 64 reviews with log-normal lengths of mean 268.
func imdb() *data {
	const sigma = 0.7
	z := make([]float32, 64)
	simd.Normal(z, simd.Key(1, "lengths"), 0, sigma)
	lengths := make([]int, len(z))
	for i, v := range z {
		lengths[i] = max(1, int(268*simd.Exp64(float64(v)-sigma*sigma/2)))
	}
	return newDataOf(50, lengths...)
}

// BenchmarkStep is a step of training of each model on all cores.
func BenchmarkStep(b *testing.B) {
	d := imdb()
	for _, model := range models.Names() {
		b.Run(model, func(b *testing.B) {
			w := models.NewWeights(1)
			m := newModel(b, model)
			if l, ok := m.(*models.LSTM); ok {
				l.Hidden = 50
			}
			n := newNetwork(b, models.Spec{Model: m, Weights: w, Dim: 50, Training: true})
			require.NoError(b, n.Run(&d.batch, d.Inputs, 0))
			o, list := optim.NewSGD(0.1, 0, 0), gradients(w, n)
			b.ReportAllocs()
			for b.Loop() {
				if err := n.Run(&d.batch, d.Inputs, 0); err != nil {
					b.Fatal(err)
				}
				if err := o.Step(list); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(d.batch.Words())*float64(b.N)/b.Elapsed().Seconds(), "words/s")
		})
	}
}
