package translate_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"imdbexp/internal/optim"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"
	"imdbexp/models/translate"

	"github.com/stretchr/testify/require"
)

// BenchmarkTranslatorStep is a step of training of each translator, at its usual
// width, on 32 pairs of up to 40 words.
func BenchmarkTranslatorStep(b *testing.B) {
	pairs := testnet.Pairs(testnet.Lengths(32)...)
	for _, model := range models.Names() {
		m := defaults(b, model)
		if m == nil {
			continue
		}
		b.Run(model, func(b *testing.B) {
			w := models.NewWeights(1)
			n := testnet.Translation(b, models.Spec{Model: m, Weights: w, Training: true})
			require.NoError(b, n.Run(pairs, models.Inputs{}, 0))
			o, list := optim.NewSGD(0.1, 0, 0), testnet.Gradients(w, n)
			b.ReportAllocs()
			for b.Loop() {
				if err := n.Run(pairs, models.Inputs{}, 0); err != nil {
					b.Fatal(err)
				}
				if err := o.Step(list); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n.Predictions())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkTranslate translates 64 sentences of up to 20 words, to 20 rows each.
func BenchmarkTranslate(b *testing.B) {
	sources := sentences(testnet.Pairs(slices.Repeat([]int{20, 15, 10, 5}, 16)...))
	for _, model := range models.Names() {
		m := defaults(b, model)
		if m == nil {
			continue
		}
		for _, beam := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/beam=%d", model, beam), func(b *testing.B) {
				d, _ := decoderOf(b, m)
				for b.Loop() {
					if _, err := d.Translate(context.Background(), sources, translate.Options{Beam: beam, MaxLen: 20}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(sources))*float64(b.N)/b.Elapsed().Seconds(), "sentences/s")
			})
		}
	}
}

// defaults returns the translator of that name with its own settings; nil for another model.
func defaults(t testing.TB, name string) models.Model {
	info, err := models.Lookup(name)
	require.NoError(t, err)
	m := info.New()
	if _, translates := m.(translate.Translator); !translates {
		return nil
	}
	_, err = settings.New(m) // fills them in
	require.NoError(t, err)
	return m
}
