package translate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"
	"imdbexp/models/translate"
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
		layers := must.Get(translate.AlignmentOf(n, pair, b.TargetOffsets[pair+1]-b.TargetOffsets[pair], b.Offsets[pair+1]-b.Offsets[pair]))(t)
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

// Gradients are those of the cost, in a random direction of each weight. Words of
// one pair and rows without a label count as they should.
func TestTranslatorGradients(t *testing.T) {
	b := testnet.Pairs(5, 3, 1)
	b.TargetOut[2] = -1
	for _, v := range testnet.Translators {
		if slices.Contains(v.Put, "dropout=0.1") {
			continue // another cost at every run
		}
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			w := models.NewWeights(1)
			n := testnet.Translation(t, models.Spec{Model: testnet.Translator(t, v.Model, v.Put...), Weights: w, Training: true})
			for _, x := range w.List() {
				simd.Scale(x.Data, 2) // far from where everything is linear
			}
			cost := func() float64 {
				require.NoError(t, n.Run(b, models.Inputs{}, 0))
				return float64(n.Cost())
			}
			cost()
			require.Equal(t, len(b.TargetOut)-1, n.Predictions())
			grads := make([][]float32, len(w.List()))
			for i := range grads {
				grads[i] = slices.Clone(n.Gradient(i))
			}
			const h = 1.0 / 512 // a step that float32 takes exactly
			var wrong, size float64
			for i, x := range w.List() {
				was, direction := slices.Clone(x.Data), make([]float32, len(x.Data))
				simd.Uniform(direction, simd.Key(2, x.Name), -1, 1)
				want := 0.0
				for sign := range 2 {
					for j, d := range direction {
						x.Data[j] = was[j] + float32(1-2*sign)*h*d
					}
					want += float64(1-2*sign) * cost() / (2 * h)
				}
				copy(x.Data, was)
				got := float64(simd.Dot(grads[i], direction))
				require.InDelta(t, want, got, 0.01+0.05*max(want, -want), x.Name)
				wrong, size = wrong+(want-got)*(want-got), size+want*want
			}
			require.Less(t, math.Sqrt(wrong/size), 0.02, "relative error over the weights")
		})
	}
}

// v·tanh(W·[h; s]) is v·tanh(W₁·h + W₂·s) with W = [W₁ W₂], gradients included.
func TestBahdanauFormsAgree(t *testing.T) {
	b := testnet.Pairs(6, 4, 1)
	build := func(form string, w *models.Weights) *models.Network {
		return testnet.Translation(t, models.Spec{Model: testnet.Translator(t, "seq2seq-bahdanau", "form="+form), Weights: w, Training: true})
	}
	ws, wc := models.NewWeights(1), models.NewWeights(2)
	sum, concat := build("sum", ws), build("concat", wc)
	s, c := testnet.ByName(ws), testnet.ByName(wc)
	for name, data := range c {
		if name == "attention.W" {
			copy(data[copy(data, s["attention.W1"]):], s["attention.W2"])
		} else {
			copy(data, s[name])
		}
	}
	require.NoError(t, sum.Run(b, models.Inputs{}, 0))
	require.NoError(t, concat.Run(b, models.Inputs{}, 0))
	require.Equal(t, sum.Losses(), concat.Losses())
	require.Equal(t, sum.Entropies(), concat.Entropies())
	gs, gc := testnet.GradientsByName(ws, sum), testnet.GradientsByName(wc, concat)
	gs["attention.W"] = append(slices.Clone(gs["attention.W1"]), gs["attention.W2"]...)
	for name, g := range gc {
		require.Equal(t, gs[name], g, name)
	}
}

// sₜ·W_a·hⱼ / √h is sₜ·(W_a/√h)·hⱼ, bit for bit where √h is a power of two.
func TestLuongScale(t *testing.T) {
	b := testnet.Pairs(6, 4, 1)
	build := func(w *models.Weights, put ...string) *models.Network {
		return testnet.Translation(t, models.Spec{Model: testnet.Translator(t, "seq2seq-luong", append(put, "hidden=16")...), Weights: w, Training: true})
	}
	ws, wn := models.NewWeights(1), models.NewWeights(1)
	scaled, none := build(ws, "scale=sqrt_k"), build(wn)
	require.NoError(t, scaled.Run(b, models.Inputs{}, 0))
	require.NoError(t, none.Run(b, models.Inputs{}, 0))
	require.NotEqual(t, scaled.Losses(), none.Losses())
	w := testnet.ByName(wn)["attention.W"]
	for i := range w {
		w[i] /= 4
	}
	require.NoError(t, none.Run(b, models.Inputs{}, 0))
	require.Equal(t, scaled.Losses(), none.Losses())
	require.Equal(t, scaled.Entropies(), none.Entropies())
}

// The forms have as many weights as the papers' equations.
func TestTranslatorWeightCounts(t *testing.T) {
	const e, h, a, d, f = 8, 8, 6, 8, 12
	lstm, gru := 4*h*(e+h+1), 3*h*(e+h+2)
	words, out := (testnet.SourceWords+testnet.TargetWords)*e, testnet.TargetWords*(e+1)
	block := 4*d*(d+1) + 2*d       // attention and its norm
	ffn := d*f + f + f*d + d + 2*d // position-wise network and its norm
	for _, c := range []struct {
		model string
		put   []string
		want  int
	}{
		{"seq2seq-plain", nil, words + 2*lstm + out},
		{"seq2seq-plain", []string{"layers=3"}, words + 6*lstm + out},
		{"seq2seq-plain", []string{"tied=true"}, words + 2*lstm + testnet.TargetWords},
		{"seq2seq-luong", []string{"score=dot"}, words + 2*lstm + 2*h*e + e + out},
		{"seq2seq-luong", nil, words + 2*lstm + h*h + 2*h*e + e + out},
		{"seq2seq-luong", []string{"score=concat", "cell=gru"}, words + 2*gru + 2*h*h + h + 2*h*e + e + out},
		{"seq2seq-bahdanau", nil, words + 2*gru + h*h + h + a*(3*h+1) + gru + 2*h*3*h + (3*h+e)*e + e + out},
		{"seq2seq-bahdanau", []string{"form=concat"}, words + 2*gru + h*h + h + a*(3*h+1) + gru + 2*h*3*h + (3*h+e)*e + e + out},
		{"seq2seq-transformer", nil, words + 2*(block+ffn) + 2*(2*block+ffn) + out},
		{"seq2seq-transformer", []string{"norm.place=before", "layers=1", "tied=true"}, words + 3*block + 2*ffn + 4*d + testnet.TargetWords},
	} {
		w := models.NewWeights(1)
		testnet.Translation(t, models.Spec{Model: testnet.Translator(t, c.model, c.put...), Weights: w, Training: true})
		require.Equal(t, c.want, w.Count(), "%s %v", c.model, c.put)
	}
}

func TestTranslatorErrors(t *testing.T) {
	for want, bad := range map[string][]string{
		"needs hidden=8 as wide as embedding=4":   {"seq2seq-plain", "tied=true", "embedding=4"},
		"heads=3 does not divide width=8: choose": {"seq2seq-transformer", "heads=3"},
	} {
		m := testnet.Translator(t, bad[0], bad[1:]...)
		require.ErrorContains(t, m.(models.Checker).Check(), want)
	}
	_, err := models.NewNetwork(models.Spec{Model: testnet.Translator(t, "seq2seq-plain"), Weights: models.NewWeights(1), In: 5, Out: 5, Training: true, TrainRows: true})
	require.ErrorContains(t, err, "its own embeddings")
	for _, s := range []models.Spec{{In: 5, Out: 2}, {Out: 5}} {
		s.Model, s.Weights = testnet.Translator(t, "seq2seq-plain"), models.NewWeights(1)
		require.ErrorContains(t, must.Fail(models.NewNetwork(s)), "too small")
		require.ErrorContains(t, must.Fail(translate.NewDecoder(s)), "too small")
	}
	n := testnet.Translation(t, models.Spec{Model: testnet.Translator(t, "seq2seq-plain")})
	b := testnet.Pairs(3)
	b.IDs[1] = testnet.SourceWords
	require.ErrorContains(t, n.Run(b, models.Inputs{}, 0), fmt.Sprint(testnet.SourceWords))
}
