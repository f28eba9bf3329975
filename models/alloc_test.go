package models_test

import (
	"fmt"
	"strings"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
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
		w, m := models.NewWeights(1), newModel(b, model)
		if _, counts := m.(models.Counting); counts || strings.HasPrefix(model, "seq2seq") {
			continue // those have BenchmarkTranslatorStep
		}
		b.Run(model, func(b *testing.B) {
			if l, ok := m.(*models.LSTM); ok {
				l.Hidden = 50
			}
			n := newNetwork(b, models.Spec{Model: m, Weights: w, In: 50, Training: true})
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
