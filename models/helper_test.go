package models_test

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

const (
	dim     = 12 // of the words where a test names no other
	classes = 2
)

// data is a small data set: reviews of random words, whose vectors lean to one
// side or the other by the label.
type data struct {
	models.Inputs
	batch ragged.Batch
}

func newData(lengths ...int) *data { return newDataOf(dim, lengths...) }

func newDataOf(dim int, lengths ...int) *data {
	d := &data{batch: ragged.Batch{Offsets: []int{0}}}
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
	}
	return d
}

// lengths of n reviews from 1 to 40 words.
func lengths(n int) (out []int) {
	for i := range n {
		out = append(out, 1+(i*17)%40)
	}
	return out
}

// newModel returns a model with the given settings; a hidden state is narrow
// where they do not say.
func newModel(t testing.TB, name string, put ...string) models.Model {
	info, err := models.Lookup(name)
	require.NoError(t, err)
	m := info.New()
	set, err := settings.New(m)
	require.NoError(t, err)
	if _, ok := set.Get("lstm.hidden"); ok {
		require.NoError(t, set.Put("lstm.hidden", "8", "test"))
	}
	require.NoError(t, set.Apply("test", put...))
	return m
}

func newNetwork(t testing.TB, s models.Spec) *models.Network {
	if s.Pool == nil {
		s.Pool = ops.NewPool(2)
		t.Cleanup(s.Pool.Close)
	}
	if s.Weights == nil {
		s.Weights = models.NewWeights(1)
	}
	if s.Dim == 0 {
		s.Dim = dim
	}
	s.Classes, s.Seed = classes, 1
	n, err := models.NewNetwork(s)
	require.NoError(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

// variants names every registered model with the settings that change its graph.
var variants = []struct {
	model string
	put   []string
}{
	{"mean", nil},
	{"mean", []string{"dropout=0.3"}},
	{"simple", nil},
	{"simple", []string{"lambda=0.01"}},
	{"simple", []string{"lambda=0.001", "slip.sum_entropy=true"}},
	{"query", nil},
	{"query", []string{"slip.relu_logits=true"}},
	{"values", nil},
	{"values", []string{"value.activation=relu"}},
	{"values", []string{"value.activation=tanh", "lambda=0.01", "dropout=0.2"}},
	{"lstm", nil},
	{"lstm", []string{"lstm.hidden=7", "value.activation=tanh"}},
	{"lstm", []string{"pool=last"}},
	{"lstm", []string{"pool=mean", "dropout=0.2"}},
	{"lstm", []string{"slip.lstm_values_only=true"}},
	{"lstm", []string{"lstm.bidirectional=true", "lambda=0.01"}},
	{"lstm", []string{"lstm.bidirectional=true", "pool=last"}},
	{"lstm", []string{"lstm.bidirectional=true", "pool=mean"}},
}
