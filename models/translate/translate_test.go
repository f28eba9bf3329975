package translate_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"
	"imdbexp/models/translate"

	"github.com/stretchr/testify/require"
)

// Every translator learns in a few steps what its pairs show.
func TestTranslatorsTrain(t *testing.T) {
	steps, gain := 40, 0.4
	if testing.Short() {
		steps, gain = 8, 0
	}
	b := testnet.Pairs(9, 7, 7, 5, 4, 3, 2, 1)
	for _, v := range testnet.Translators {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			w := models.NewWeights(1)
			spec := models.Spec{Model: testnet.Translator(t, v.Model, v.Put...), Weights: w}
			eval := testnet.Translation(t, spec)
			spec.Training = true
			n := testnet.Translation(t, spec)
			require.NoError(t, eval.Run(b, models.Inputs{}, 0))
			first, right := eval.Cost(), eval.Right()
			o := optim.NewAdam(0.02, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
			for step := range steps {
				require.NoError(t, n.Run(b, models.Inputs{}, uint64(step)))
				require.NoError(t, o.Step(testnet.Gradients(w, n)))
			}
			require.NoError(t, eval.Run(b, models.Inputs{}, 0))
			require.Less(t, float64(eval.Cost()), float64(first)-gain)
			if !testing.Short() {
				require.Greater(t, eval.Right(), right)
			}
			checkRows(t, eval, b)
		})
	}
}

// checkRows checks what an evaluation says of a batch.
func checkRows(t *testing.T, n *models.Network, b *ragged.Batch) {
	require.Equal(t, len(b.TargetOut), n.Predictions())
	require.LessOrEqual(t, n.Right(), n.Predictions())
	require.InEpsilon(t, n.Cost(), testnet.Mean(n.Losses())*float64(b.Len())/float64(n.Predictions()), 1e-5)
	require.Nil(t, n.Attention())
	require.Equal(t, n.Heads() != nil, n.Entropies() != nil)
	for pair := range b.Len() {
		looks, err := translate.AttentionsOf(n, pair)
		require.NoError(t, err)
		layers := looks.Alignment
		require.Len(t, layers, len(n.Heads()))
		var entropy, heads float64
		for l, layer := range layers {
			require.Len(t, layer, n.Heads()[l].Cols)
			for h, m := range layer {
				require.Equal(t, b.TargetOffsets[pair+1]-b.TargetOffsets[pair], m.Rows)
				require.Equal(t, b.Offsets[pair+1]-b.Offsets[pair], m.Cols)
				var nats float64
				for i := range m.Rows {
					require.InDelta(t, 1, testnet.Mean(m.Row(i))*float64(m.Cols), 1e-5)
					for _, p := range m.Row(i) {
						nats -= float64(p) * simd.Log64(max(float64(p), 1e-30)) / float64(m.Rows)
					}
				}
				require.InDelta(t, nats, n.Heads()[l].Row(pair)[h], 1e-5)
				entropy, heads = entropy+nats, heads+1
			}
		}
		if heads > 0 {
			require.InDelta(t, entropy/heads, n.Entropies()[pair], 1e-5)
			require.Equal(t, b.Offsets, n.HeadWords())
		}
	}
}

// The graph's numbers are those of its equations, in float64.
func TestExact(t *testing.T) {
	for _, v := range testnet.Translators {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			n := testnet.Translation(t, models.Spec{Model: testnet.Translator(t, v.Model, v.Put...), Weights: models.NewWeights(1)})
			require.NoError(t, n.Run(testnet.Pairs(5, 3, 1), models.Inputs{}, 0))
			x := ops.NewExact()
			for _, node := range translate.Nodes(n) {
				testnet.Agree(t, x, node, node.Op())
			}
		})
	}
}
