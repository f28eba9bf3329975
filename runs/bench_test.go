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

// BenchmarkStep keeps checkpoints inside an epoch: of an LSTM, and of trained word
// vectors of IMDB's size (75 000 words of 50 numbers), with Adam's two moments.
func BenchmarkStep(b *testing.B) {
	for name, size := range map[string]int{"lstm": 23_000, "vectors": 75_000 * 50} {
		b.Run(name, func(b *testing.B) {
			w, err := runs.Create(b.TempDir(), config(b), environment())
			require.NoError(b, err)
			defer w.Close()
			weights := make([]float32, size)
			tensor := func(name string, data []float32) runs.Tensor {
				return runs.Tensor{Name: name, Shape: []int{len(data)}, Data: data}
			}
			c := &runs.Checkpoint{
				Step: 1, Params: []runs.Tensor{tensor("w", weights)}, Optim: []runs.Tensor{tensor("m", weights), tensor("v", weights)},
				Sums: []runs.Tensor{tensor("entropies", make([]float32, 25_000))},
			}
			b.SetBytes(int64(3 * 4 * size))
			for b.Loop() {
				require.NoError(b, w.Step(c))
			}
		})
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
