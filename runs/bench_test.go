package runs_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// BenchmarkEpoch commits epochs of an LSTM's size: 23 000 weights, with Adam's
// two moments.
func BenchmarkEpoch(b *testing.B) {
	w, err := runs.Create(b.TempDir(), config(b), environment())
	require.NoError(b, err)
	defer w.Close()
	weights := make([]float32, 23_000)
	tensor := func(name string) runs.Tensor {
		return runs.Tensor{Name: name, Shape: []int{len(weights)}, Data: weights}
	}
	c := &runs.Checkpoint{Params: []runs.Tensor{tensor("w")}, Optim: []runs.Tensor{tensor("m"), tensor("v")}}
	for b.Loop() {
		c.Epoch++
		h := []runs.Histogram{runs.NewHistogram(c.Epoch, "train", nil), runs.NewHistogram(c.Epoch, "test", nil)}
		require.NoError(b, w.Epoch(runs.Metrics{Epoch: c.Epoch}, runs.Timing{Epoch: c.Epoch}, h, c, false))
	}
}

// BenchmarkPutTable keeps the words and vectors of IMDB's size.
func BenchmarkPutTable(b *testing.B) {
	const words, dim = 70_000, 50
	t := &runs.Table{Dim: dim, OOV: words, Rows: make([]float32, (words+1)*dim)}
	x := uint32(1)
	for i := range t.Rows {
		x = x*1664525 + 1013904223
		t.Rows[i] = float32(int32(x)) / (1 << 31)
	}
	for i := range words {
		t.Words = append(t.Words, "word"+strconv.Itoa(i))
	}
	for b.Loop() {
		_, err := runs.PutTable(b.TempDir(), t)
		require.NoError(b, err)
	}
}
