// Package testnet builds networks, and small batches for them, for tests of models.
package testnet

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
	_ "imdbexp/models/translate" // registers the models that translate
)

// Variant is a model with some settings.
type Variant struct {
	Model string
	Put   []string
}

// Model returns a model with the given settings. Hidden states have width 8 unless these set it.
func Model(t testing.TB, name string, put ...string) models.Model {
	info := must.Get(models.Lookup(name))(t)
	m := info.New()
	set := must.Get(settings.New(m))(t)
	for _, key := range []string{"lstm.hidden", "hidden", "attention.width"} {
		if _, ok := set.Get(key); ok {
			require.NoError(t, set.Put(key, "8", "test"))
		}
	}
	require.NoError(t, set.Apply("test", put...))
	return m
}

// Network builds the network of a spec, with a pool and weights unless it has some.
func Network(t testing.TB, s models.Spec) *models.Network {
	if s.Pool == nil {
		s.Pool = ops.NewPool(1)
		t.Cleanup(s.Pool.Close)
	}
	if s.Weights == nil {
		s.Weights = models.NewWeights(1)
	}
	s.Seed = 1
	n := must.Get(models.NewNetwork(s))(t)
	t.Cleanup(func() { n.Close() })
	return n
}

// Lengths returns the lengths of n reviews, from 1 to 40 words.
func Lengths(n int) (out []int) {
	for i := range n {
		out = append(out, 1+(i*17)%40)
	}
	return out
}

// Gradients returns the weights with their gradients, for an optimiser.
func Gradients(w *models.Weights, n *models.Network) (out []G.ValueGrad) {
	for i, x := range w.List() {
		out = append(out, optim.Weight{W: x.Data, G: n.Gradient(i)})
	}
	return out
}

// GradientsByName returns the gradients of the weights.
func GradientsByName(w *models.Weights, n *models.Network) map[string][]float32 {
	out := map[string][]float32{}
	for i, x := range w.List() {
		out[x.Name] = n.Gradient(i)
	}
	return out
}

// ByName returns the values of the weights.
func ByName(w *models.Weights) map[string][]float32 {
	out := map[string][]float32{}
	for _, x := range w.List() {
		out[x.Name] = x.Data
	}
	return out
}

// Mean returns the mean of numbers.
func Mean(x []float32) (m float64) {
	for _, v := range x {
		m += float64(v) / float64(len(x))
	}
	return m
}

// Agree checks that a node's value is the exact one, up to rounding.
func Agree(t *testing.T, x *ops.Exact, node *ops.Node, name string) {
	if node == nil {
		return
	}
	want := must.Get(x.Value(node))(t)
	got := node.Mat()
	require.Len(t, got.Data, len(want.Data), name)
	for i, w := range want.Data {
		require.InDelta(t, w, got.Data[i], 1e-4*max(1, w, -w), name)
	}
}

// The vocabularies of the sentence pairs here.
const SourceWords, TargetWords = 11, 9

// Translators are the models that translate, with their defaults and with settings that change their
// graphs.
var Translators = []Variant{
	{Model: "seq2seq-plain"},
	{Model: "seq2seq-plain", Put: []string{"reverse=false", "layers=2", "tied=true", "label_smoothing=0.1", "dropout=0.1"}},
	{Model: "seq2seq-bahdanau"},
	{Model: "seq2seq-bahdanau", Put: []string{"form=concat", "tied=true", "dropout=0.1"}},
	{Model: "seq2seq-luong"},
	{Model: "seq2seq-luong", Put: []string{"scale=sqrt_k"}},
	{Model: "seq2seq-luong", Put: []string{"score=dot", "cell=gru", "layers=2"}},
	{Model: "seq2seq-luong", Put: []string{"score=concat", "tied=true"}},
	{Model: "seq2seq-transformer"},
	{Model: "seq2seq-transformer", Put: []string{"norm.place=before", "layers=1", "tied=true", "label_smoothing=0.1", "dropout=0.1"}},
}

// Translator returns a narrow translator.
func Translator(t testing.TB, name string, put ...string) models.Model {
	narrow := []string{"embedding=8", "hidden=8"}
	switch name {
	case "seq2seq-bahdanau":
		narrow = append(narrow, "attention.width=6")
	case "seq2seq-transformer":
		narrow = []string{"width=8", "heads=2", "ffn.width=12"}
	}
	return Model(t, name, append(narrow, put...)...)
}

// Translation builds the network of a translator.
func Translation(t testing.TB, s models.Spec) *models.Network {
	s.In, s.Out = SourceWords, TargetWords
	return Network(t, s)
}

// Pairs packs sentences of those lengths; their translations have the words backwards, and
// some twice.
func Pairs(lengths ...int) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}, TargetOffsets: []int{0}, Labels: make([]int32, len(lengths))}
	for i, n := range lengths {
		var words []int32
		for j := range n {
			words = append(words, int32(3+simd.Hash2(simd.Key(1, "pairs"), uint64(i), uint64(j))%(SourceWords-3)))
		}
		AddPair(b, words, backwards(words))
	}
	return b
}

// AddPair appends a pair to the batch.
func AddPair(b *ragged.Batch, source, target []int32) {
	b.Reviews = append(b.Reviews, int32(len(b.Reviews)))
	b.IDs = append(b.IDs, source...)
	b.Offsets = append(b.Offsets, len(b.IDs))
	b.TargetIn = append(append(b.TargetIn, ragged.BeginID), target...)
	b.TargetOut = append(append(b.TargetOut, target...), ragged.EndID)
	b.TargetOffsets = append(b.TargetOffsets, len(b.TargetIn))
}

func backwards(source []int32) (target []int32) {
	for _, w := range slices.Backward(source) {
		word := 3 + (w-3)%(TargetWords-3)
		if target = append(target, word); w%4 == 0 {
			target = append(target, word)
		}
	}
	return target
}
