package models_test

import (
	"slices"
	"strings"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"
)

const (
	dim     = 12 // of the word vectors
	classes = 2
)

// data is a small data set: reviews of random words, whose vectors lean to one
// side or the other by the label.
type data struct {
	models.Inputs
	batch ragged.Batch
}

func newData(lengths ...int) *data {
	d := &data{batch: ragged.Batch{Offsets: []int{0}}}
	d.Base = &models.Base{
		Weights: func(review int32) []float32 { return leaning(lengths[review]) },
		P:       make([]float32, classes*len(lengths)),
	}
	for i, n := range lengths {
		label := int32(i % classes)
		for range n {
			d.batch.IDs = append(d.batch.IDs, int32(len(d.batch.IDs)))
			row := make([]float32, dim)
			simd.Normal(row, simd.Hash1(simd.Key(1, "words"), uint64(len(d.batch.IDs))), 0, 0.5)
			row[0] += 0.4 * float32(1-2*label)
			d.Table = append(d.Table, row...)
		}
		d.batch.Offsets = append(d.batch.Offsets, len(d.batch.IDs))
		d.batch.Reviews = append(d.batch.Reviews, int32(i))
		d.batch.Labels = append(d.batch.Labels, label)
		mean := make([]float32, dim)
		ops.MeanRow(mean, d.Table[len(d.Table)-n*dim:])
		d.Means = append(d.Means, mean...)
		d.Base.P[classes*i+int(label)] = 1
	}
	return d
}

// leaning are weights of n words that favour the first of them.
func leaning(n int) []float32 {
	w := make([]float32, n)
	for i := range w {
		w[i] = 2 * float32(n-i) / float32(n*(n+1))
	}
	return w
}

// fits leaves as many reviews as a model takes at once.
func fits(reviews int, put []string) int {
	if slices.Contains(put, "slip.batch_slot_norm=true") {
		return min(reviews, 16)
	}
	return reviews
}

var lengths, newModel, gradients, mean, gradientsByName, byName, agree = testnet.Lengths, testnet.Model, testnet.Gradients,
	testnet.Mean, testnet.GradientsByName, testnet.ByName, testnet.Agree

func newNetwork(t testing.TB, s models.Spec) *models.Network {
	if s.In == 0 {
		s.In = dim
	}
	s.Out = classes
	return testnet.Network(t, s)
}

// variants are the models that classify, with the settings that change their graphs;
// every other registered one is there as it is (see init).
var variants = []testnet.Variant{
	{Model: "mean"},
	{Model: "mean", Put: []string{"dropout=0.3"}},
	{Model: "simple"},
	{Model: "simple", Put: []string{"lambda=0.01"}},
	{Model: "simple", Put: []string{"lambda=0.001", "slip.sum_entropy=true"}},
	{Model: "simple", Put: []string{"attention.softmax=sparsemax", "lambda=0.01"}},
	{Model: "query"},
	{Model: "query", Put: []string{"slip.relu_logits=true"}},
	{Model: "query", Put: []string{"key.map=linear", "query.activation=relu"}},
	{Model: "values"},
	{Model: "values", Put: []string{"key.map=tanh", "query.activation=tanh"}},
	{Model: "values", Put: []string{"value.activation=relu"}},
	{Model: "values", Put: []string{"value.activation=tanh", "lambda=0.01", "dropout=0.2"}},
	{Model: "lstm"},
	{Model: "lstm", Put: []string{"lstm.hidden=7", "value.activation=tanh"}},
	{Model: "lstm", Put: []string{"attention.softmax=sparsemax"}},
	{Model: "lstm", Put: []string{"pool=last"}},
	{Model: "lstm", Put: []string{"pool=mean", "dropout=0.2"}},
	{Model: "lstm", Put: []string{"slip.lstm_values_only=true"}},
	{Model: "lstm", Put: []string{"slip.lstm_values_only=true", "slip.state_values=true"}},
	{Model: "lstm", Put: []string{"lstm.bidirectional=true", "lambda=0.01"}},
	{Model: "lstm", Put: []string{"lstm.bidirectional=true", "pool=last"}},
	{Model: "lstm", Put: []string{"lstm.bidirectional=true", "pool=mean"}},
	{Model: "self"},
	{Model: "self", Put: []string{"positions=sinusoid", "pool=cls", "norm=layer", "norm.place=after", "heads=2", "key.width=5"}},
	{Model: "self", Put: []string{"positions=halves", "positions.base=1000", "pool=attention", "norm=none", "activation=gelu", "scale=none", "residual=false"}},
	{Model: "self", Put: []string{"positions=learned", "attention.dropout=0.2", "layer.dropout=0.3"}},
	{Model: "self", Put: []string{"slip.pad=true", "slip.softmax_queries=true", "slip.scale_d=true", "slip.no_residual=true", "slip.sigmoid_logits=true"}},
	{Model: "self", Put: []string{"slip.pad=true", "slip.pad_statistics=true", "norm.eval=batch", "layers=2", "pool=cls", "positions=sinusoid"}},
	{Model: "self", Put: []string{"slip.pad=true", "slip.batch_slot_norm=true", "pool=cls", "positions=sinusoid"}},
	{Model: "self", Put: []string{"positions=sinusoid", "positions.join=concat", "positions.base=100"}},
	{Model: "multihead", Put: []string{"heads=3"}},
	{Model: "multihead", Put: []string{"heads=4", "layers=2", "heads.penalty=0.01", "norm=batch"}},
	{Model: "transformer", Put: []string{"heads=3"}},
	{Model: "transformer", Put: []string{"heads=2", "width=8", "ffn.width=9", "norm.place=before", "activation=gelu", "pool=cls", "label_smoothing=0"}},
	{Model: "transformer", Put: []string{"heads=2", "embedding.scale=sqrt_d", "positions=halves", "positions.join=concat"}},
	{Model: "additive"},
	{Model: "additive", Put: []string{"cell=gru", "form=concat", "query=mean", "lambda=0.01"}},
	{Model: "additive", Put: []string{"bidirectional=false", "query=learned"}},
	{Model: "additive", Put: []string{"attention.gated=true", "attention.softmax=entmax-1.5"}},
	{Model: "luong"},
	{Model: "luong", Put: []string{"score=dot", "cell=gru", "query=mean", "scale=sqrt_k"}},
	{Model: "luong", Put: []string{"scale=sqrt_k"}},
	{Model: "luong", Put: []string{"score=concat", "bidirectional=false"}},
	{Model: "simple", Put: []string{"attention=uniform"}},
	{Model: "simple", Put: []string{"attention=frozen"}},
	{Model: "query", Put: []string{"attention=imposed", "attention.base=x"}},
	{Model: "values", Put: []string{"attention=frozen", "value.activation=tanh"}},
	{Model: "values", Put: []string{"attention=imposed", "attention.base=x", "value.activation=tanh"}},
	{Model: "lstm", Put: []string{"attention=uniform"}},
	{Model: "lstm", Put: []string{"members=3", "lambda=0.01", "input.dropout=0.1", "dropout=0.2"}},
	{Model: "lstm", Put: []string{"attention=frozen"}},
	{Model: "lstm", Put: []string{"attention=imposed", "attention.base=x"}},
	{Model: "additive", Put: []string{"attention=uniform"}},
	{Model: "additive", Put: []string{"attention=frozen", "query=learned"}},
	{Model: "luong", Put: []string{"attention=uniform"}},
	{Model: "luong", Put: []string{"attention=frozen"}},
	{Model: "language", Put: []string{"direction=both", "others=7", "learned.words=5"}},
	{Model: "language", Put: []string{"direction=backward", "cell=gru", "others=7", "learned.words=5"}},
	{Model: "masked-self", Put: []string{"positions=sinusoid", "masked=0.4", "others=7", "learned.words=5"}},
	{Model: "masked-transformer", Put: []string{"heads=3", "masked=0.4", "others=7", "learned.words=5"}},
}

func init() {
	for _, name := range models.Names() {
		if _, graph := newModel(nil, name).(models.Counting); graph || strings.HasPrefix(name, "seq2seq") {
			continue // counted without a graph (see package models/counts), or tested in package translate
		}
		if !slices.ContainsFunc(variants, func(v testnet.Variant) bool { return v.Model == name }) {
			variants = append(variants, testnet.Variant{Model: name})
		}
	}
}
