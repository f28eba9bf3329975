package ops_test

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// imdb is a batch like IMDB's: 64 reviews with log-normal lengths of mean 268.
func imdb() *ragged.Batch {
	const sigma = 0.7
	z := make([]float32, 64)
	simd.Normal(z, simd.Key(1, "lengths"), 0, sigma)
	lengths := make([]int, len(z))
	for i, v := range z {
		lengths[i] = max(1, int(268*simd.Exp64(float64(v)-sigma*sigma/2)))
	}
	return batch(lengths...)
}

const benchWidth = 50 // of words and states

type weightOf = func(rows, cols int) *ops.Node

// trainer returns a machine that runs an op on words of a width forwards and backwards on
// one worker, with the least that makes a cost of its result behind it, and its batch.
func trainer(b *testing.B, width int, trainWords bool, build func(x *ops.Node, w weightOf) *ops.Node) (*ops.Machine, *ragged.Batch) {
	g := ops.NewGraph(newPool(b, 1), true)
	x := g.Leaf("x", g.Words(), width, trainWords)
	var weights []*ops.Node
	w := func(rows, cols int) *ops.Node {
		n := g.Param("w", rows, cols, random("w", rows*cols))
		weights = append(weights, n)
		return n
	}
	y := build(x, w)
	if y.Axis() == g.Words() {
		y = ops.Mean(y)
	}
	cost := ops.Total(ops.Term{Node: ops.Linear(y, w(y.Cols(), 1), nil), Weight: 1})
	_, err := g.Grad(cost, weights...)
	require.NoError(b, err)
	m, err := g.Machine()
	require.NoError(b, err)
	b.Cleanup(func() { m.Close() })
	data := imdb()
	x.Set(ops.Mat{Rows: data.Words(), Cols: width, Data: random("x", data.Words()*width)})
	require.NoError(b, m.Run(data, step))
	return m, data
}

// benchmark measures an op in a trainer. flops is what one word costs.
func benchmark(b *testing.B, flops float64, trainWords bool, build func(x *ops.Node, w weightOf) *ops.Node) {
	m, data := trainer(b, benchWidth, trainWords, build)
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Run(data, step); err != nil {
			b.Fatal(err)
		}
	}
	words := float64(data.Words()) * float64(b.N)
	b.ReportMetric(words/b.Elapsed().Seconds(), "words/s")
	b.ReportMetric(words*flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

const d, h = benchWidth, benchWidth

// Forwards x·Wx and h·Wh, backwards two products for each of them; on frozen
// words one less.
func BenchmarkLSTM(b *testing.B) {
	benchmark(b, 2*4*h*(2*d+3*h), false, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		states, _ := ops.LSTM(x, w(d, 4*h), w(h, 4*h), w(1, 4*h), false)
		return states
	})
}

func BenchmarkLSTMTrainedWords(b *testing.B) {
	benchmark(b, 2*4*h*(3*d+3*h), true, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		states, _ := ops.LSTM(x, w(d, 4*h), w(h, 4*h), w(1, 4*h), false)
		return states
	})
}

func BenchmarkGRU(b *testing.B) {
	benchmark(b, 2*3*h*(2*d+3*h), false, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		states, _ := ops.GRU(x, w(d, 3*h), w(h, 3*h), w(1, 3*h), w(1, 3*h), false)
		return states
	})
}

func BenchmarkRNN(b *testing.B) {
	benchmark(b, 2*h*(2*d+3*h), false, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		states, _ := ops.RNN(x, w(d, h), w(h, h), w(1, h), false)
		return states
	})
}

func BenchmarkLinear(b *testing.B) {
	benchmark(b, 2*2*d*h, false, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		return ops.Linear(x, w(d, h), w(1, h))
	})
}

// The scores and the weighted sum, forwards and backwards.
func BenchmarkAttend(b *testing.B) {
	benchmark(b, 2*4*d, false, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		a, _ := ops.Attend(w(1, d), x, 1)
		return ops.WeightedSum(a, x)
	})
}

func BenchmarkAttendQueryEach(b *testing.B) {
	benchmark(b, 2*4*d, false, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		a, _ := ops.Attend(ops.Linear(ops.Mean(x), w(d, d), nil), x, 1)
		return ops.WeightedSum(a, x)
	})
}

func BenchmarkDropoutOnWords(b *testing.B) {
	benchmark(b, 2*d, true, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		return ops.Dropout(ops.Linear(x, w(d, d), nil), "bench", 0.5)
	})
}

// The work of a normalisation is in its passes over the rows, not in flops: the
// unit here is an element.
func BenchmarkLayerNorm(b *testing.B) {
	benchmark(b, d, true, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		return ops.LayerNorm(x, w(1, d), w(1, d), 1e-5)
	})
}

func BenchmarkBatchNorm(b *testing.B) {
	benchmark(b, d, true, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		return ops.BatchNorm(x, w(1, d), w(1, d), newStats(d), ops.BatchNorming{Epsilon: 1e-5, Momentum: 0.1})
	})
}

func BenchmarkSlotNorm(b *testing.B) {
	benchmark(b, d, true, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		return ops.SlotNorm(ops.Pad(x), w(64, 1), w(64, 1), 50)
	})
}

func BenchmarkGELU(b *testing.B) {
	benchmark(b, d, true, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node { return ops.GELU(x) })
}

func BenchmarkSinusoid(b *testing.B) {
	benchmark(b, d, true, func(x *ops.Node, w func(int, int) *ops.Node) *ops.Node {
		return ops.Sinusoid(x, 10000, ops.Interleaved)
	})
}
