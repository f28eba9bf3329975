package translate_test

import (
	"math"
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

// A translator with states of one number, computed by hand. Its LSTMs have zero weights, so the
// states depend only on the biases. The encoder's cells are c₁ = ½·tanh 1 and c₂ = ½·c₁ + c₁, the
// states hⱼ = ½·tanh cⱼ. The decoder continues from the last ones.
func TestForcedByHand(t *testing.T) {
	pool := ops.NewPool(1)
	t.Cleanup(pool.Close)
	s := models.Spec{Model: testnet.Model(t, "seq2seq-luong", "score=dot", "hidden=1", "embedding=1"), Weights: models.NewWeights(1), Pool: pool, In: 4, Out: 4}
	f := must.Get(translate.NewForced(s))(t)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
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
	require.NoError(t, f.Run(b))
	looks := must.Get(f.Attentions(0))(t)
	x := ops.NewExact()
	scores := must.Get(x.Value(f.Scores))(t)
	w, _ := must.Get2(x.Weighing(f.Layers[0], 0, 0))(t)

	var h []float64
	for c := 0.0; len(h) < 4; { // h[:2] of the source, h[2:] of the target rows
		c = c/2 + math.Tanh(1)/2
		h = append(h, math.Tanh(c)/2)
	}
	for row, state := range h[2:] {
		first := 1 / (1 + math.Exp(state*h[1]-state*h[0]))
		context := first*2*h[0] + (1-first)*2*h[1]
		out := math.Tanh(context + 3*state - 1)
		logits, sum := []float64{out, -out, 2 * out, 0.5*out + 0.25}, 0.0
		for _, z := range logits {
			sum += math.Exp(z)
		}
		require.InDeltaSlice(t, []float64{first, 1 - first}, w.Weights.Row(row), 1e-14)
		require.InDeltaSlice(t, []float64{state * h[0], state * h[1]}, w.Scores.Row(row), 1e-14)
		require.InDelta(t, first, looks.Alignment[0][0].Row(row)[0], 1e-6)
		for i, z := range logits {
			require.InDelta(t, z-math.Log(sum), scores.Row(row)[i], 1e-14)
			require.InDelta(t, z-math.Log(sum), f.Scores.Mat().Row(row)[i], 1e-6)
		}
	}
}
