package translate_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"
	"imdbexp/models/translate"
)

// untrained returns a decoder with weights large enough for it to prefer some
// words, and a network with the same ones.
func untrained(t *testing.T, name string, put ...string) (*translate.Decoder, *models.Network) {
	return decoderOf(t, testnet.Translator(t, name, put...))
}

func decoderOf(t testing.TB, m models.Model) (*translate.Decoder, *models.Network) {
	s := models.Spec{Model: m, Weights: models.NewWeights(3), Pool: ops.NewPool(1)}
	t.Cleanup(s.Pool.Close)
	n := testnet.Translation(t, s)
	for _, x := range s.Weights.List() {
		if x.Rows > 1 {
			simd.Scale(x.Data, 3)
		}
	}
	s.In, s.Out = testnet.SourceWords, testnet.TargetWords
	d := must.Get(translate.NewDecoder(s))(t)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d, n
}

func sentences(b *ragged.Batch) (out [][]int32) {
	for i := range b.Len() {
		out = append(out, b.IDs[b.Offsets[i]:b.Offsets[i+1]])
	}
	return out
}

func translated(t *testing.T, d *translate.Decoder, sources [][]int32, o translate.Options) []translate.Translation {
	out := must.Get(d.Translate(context.Background(), sources, o))(t)
	require.Len(t, out, len(sources))
	return out
}

// What decoding computes word by word, from cached keys and values or states, has
// the bits of all rows at once: a row's products and sums run over the same numbers
// in the same order, the masked ones add 0. So greedy search has taken the likeliest
// word of each row.
func TestDecodingIsTeacherForcing(t *testing.T) {
	for _, v := range testnet.Translators {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			d, n := untrained(t, v.Model, v.Put...)
			sources := sentences(testnet.Pairs(2, 7, 5, 5, 1))
			for _, o := range []translate.Options{{Align: true}, {Beam: 3, Alpha: 0.6, Align: true}} {
				forced := &ragged.Batch{Offsets: []int{0}, TargetOffsets: []int{0}, Labels: make([]int32, len(sources))}
				all := translated(t, d, sources, o)
				for i, x := range all {
					testnet.AddPair(forced, sources[i], x.Words)
				}
				require.NoError(t, n.Run(forced, models.Inputs{}, 0))
				for i, x := range all {
					require.Equal(t, n.Losses()[i], float32(-x.LogProb))
					require.InDelta(t, x.LogProb/simd.Exp64(o.Alpha*simd.Log64(float64(len(x.Words)+1))), x.Score, 1e-9)
					alignment := must.Get(translate.AlignmentOf(n, i, len(x.Words)+1, len(sources[i])))(t)
					require.Equal(t, alignment, x.Alignment)
					sum := 0.0
					for row, word := range append(slices.Clone(x.Words), ragged.EndID) {
						sum += float64(x.Next.Row(row)[word])
					}
					require.Equal(t, x.LogProb, sum)
				}
				for i, word := range translate.Predicted(n) {
					pair, _ := slices.BinarySearch(forced.TargetOffsets, i+1)
					last := i+1 == forced.TargetOffsets[pair] && len(all[pair-1].Words) == 2*len(sources[pair-1])+9
					if o.Beam == 0 && word != float32(ragged.BeginID) && !last { // which no row may be, and has to end
						require.Equal(t, word, float32(forced.TargetOut[i]))
					}
				}
			}
		})
	}
}

// A sentence gets the same translation, to the last bit, alone, among others, and
// in any order; greedy search is a beam of one; too narrow a beam never finds more
// than a wide one that sees everything.
func TestTranslationsDoNotDependOnOthers(t *testing.T) {
	for _, v := range testnet.Translators {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			d, _ := untrained(t, v.Model, v.Put...)
			sources := sentences(testnet.Pairs(3, 6, 6, 1, 4))
			require.Equal(t, translated(t, d, sources, translate.Options{}), translated(t, d, sources, translate.Options{Beam: 1}))
			o := translate.Options{Beam: 4, Alpha: 1, Align: true}
			together := translated(t, d, sources, o)
			for i := range sources {
				require.Equal(t, together[i], translated(t, d, sources[i:i+1], o)[0])
			}
			slices.Reverse(sources)
			slices.Reverse(together)
			require.Equal(t, together, translated(t, d, sources, o))
			many := slices.Repeat(sources, 150/len(sources)) // more than one batch
			o.Align = false
			for i, x := range translated(t, d, many, o) {
				require.Equal(t, together[i%len(sources)].Words, x.Words)
				require.Nil(t, x.Alignment)
			}
		})
	}
}

func TestDecoderErrors(t *testing.T) {
	require.ErrorContains(t, must.Fail(translate.NewDecoder(models.Spec{Model: testnet.Model(t, "mean")})), "does not translate")
	_, err := translate.NewDecoder(models.Spec{Model: testnet.Translator(t, "seq2seq-transformer", "heads=3"), Weights: models.NewWeights(1), In: 5, Out: 5})
	require.ErrorContains(t, err, "heads=3")
	d, _ := untrained(t, "seq2seq-plain")
	require.ErrorContains(t, must.Fail(d.Translate(context.Background(), [][]int32{{3}, {}}, translate.Options{})), "sentence 1 has no words")
	require.ErrorContains(t, must.Fail(d.Translate(context.Background(), [][]int32{{3}}, translate.Options{Alpha: -1})), "beam.alpha=-1")
	require.Error(t, must.Fail(d.Translate(context.Background(), [][]int32{{testnet.SourceWords}}, translate.Options{})))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, must.Fail(d.Translate(ctx, [][]int32{{3}}, translate.Options{})), context.Canceled)
	require.Len(t, translated(t, d, [][]int32{{3}}, translate.Options{MaxLen: 1})[0].Words, 0)
	require.Empty(t, translated(t, d, nil, translate.Options{}))
}

// A translator with states of one number, computed by hand. Its LSTMs have zero weights, so the
// states depend only on the biases. The encoder's cells are c₁ = ½·tanh 1 and c₂ = ½·c₁ + c₁, the
// states hⱼ = ½·tanh cⱼ. The decoder continues from the last ones.
func TestForcedByHand(t *testing.T) {
	pool := ops.NewPool(1)
	t.Cleanup(pool.Close)
	s := models.Spec{Model: testnet.Model(t, "seq2seq-luong", "score=dot", "hidden=1", "embedding=1"), Weights: models.NewWeights(1), Pool: pool, In: 4, Out: 4}
	d := must.Get(translate.NewDecoder(s))(t)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	given := map[string][]float32{
		"encoder1.b": {0, 0, 1, 0}, "decoder1.b": {0, 0, 1, 0}, // gates i, f, g, o
		"context.W": {2}, "state.W": {3}, "state.b": {-1}, "out.W": {1, -1, 2, 0.5}, "out.b": {0, 0, 0, 0.25},
	}
	for _, w := range s.Weights.List() {
		simd.Fill(w.Data, 0)
		copy(w.Data, given[w.Name])
		delete(given, w.Name)
	}
	require.Empty(t, given)
	b := &ragged.Batch{}
	b.Reset(false)
	b.Add(0, 0, []int32{3, 3})
	b.TargetOffsets = []int{0}
	b.AddTarget([]int32{3}) // two rows
	forced, entropies := must.Get2(d.Force(b))(t)
	weights := make([]float32, 2)
	x := ops.NewExact()
	scores := must.Get(x.Value(forced))(t)
	w, _ := must.Get2(x.Weighing(entropies, 0, 0))(t)

	var h []float64
	for c := 0.0; len(h) < 4; { // h[:2] of the source, h[2:] of the target rows
		c = c/2 + math.Tanh(1)/2
		h = append(h, math.Tanh(c)/2)
	}
	for row, state := range h[2:] {
		require.NoError(t, entropies.Alignment(weights, 0, 0, row))
		first := 1 / (1 + math.Exp(state*h[1]-state*h[0]))
		context := first*2*h[0] + (1-first)*2*h[1]
		out := math.Tanh(context + 3*state - 1)
		logits, sum := []float64{out, -out, 2 * out, 0.5*out + 0.25}, 0.0
		for _, z := range logits {
			sum += math.Exp(z)
		}
		require.InDeltaSlice(t, []float64{first, 1 - first}, w.Weights.Row(row), 1e-14)
		require.InDeltaSlice(t, []float64{state * h[0], state * h[1]}, w.Scores.Row(row), 1e-14)
		require.InDelta(t, first, weights[0], 1e-6)
		for i, z := range logits {
			require.InDelta(t, z-math.Log(sum), scores.Row(row)[i], 1e-14)
			require.InDelta(t, z-math.Log(sum), forced.Mat().Row(row)[i], 1e-6)
		}
	}
}
