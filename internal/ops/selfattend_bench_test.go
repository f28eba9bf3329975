package ops_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// BenchmarkSelfAttend runs the op forwards and backwards, one head of width 50,
// counting 14·n²·k operations, with a cost behind it that is next to nothing, and
// the matrix kernel of the same sizes.
//
// The floor of an element of S at k = 50, with AVX-512 on an Intel Xeon of family
// 6, model 207: six products of 2k operations at the 172 GFLOP/s of 256×50×256 on
// one core and one that is 50 wide at 128, 4.27 ns; maximum, softmax and gradient
// on a tile in the second cache 0.05, 0.27 and 0.30; transposed blocks, 0.1. So
// 5.0 ns, 81 % of the kernel's rate. Measured, the shortest of many runs on a busy
// machine: 5.7 for n = 256 (71 %; the graph around the op has 0.3 of it), 5.3 for
// n ≥ 512 (77 %), 7.5 for n = 64 (50 %); with AVX2 10.8 for n = 256 (77 % of 84).
// Dropout adds 0.5; the softmax over the queries has no product more, but an exponential and a copy.
func BenchmarkSelfAttend(b *testing.B) {
	for _, c := range []struct {
		name    string
		batch   *ragged.Batch
		workers int
		o       ops.SelfAttention
	}{
		{"n256", batch(256, 256, 256, 256), 1, ops.SelfAttention{Heads: 1, Scale: 0.14}},
		{"n256x2", batch(256, 256, 256, 256), 2, ops.SelfAttention{Heads: 1, Scale: 0.14}},
		{"n512", batch(512, 512), 1, ops.SelfAttention{Heads: 1, Scale: 0.14}},
		{"n2048", batch(2048), 1, ops.SelfAttention{Heads: 1, Scale: 0.14}},
		{"n2048x2", batch(2048), 2, ops.SelfAttention{Heads: 1, Scale: 0.14}},
		{"imdb", imdb(), 1, ops.SelfAttention{Heads: 1, Scale: 0.14}},
		{"imdbx2", imdb(), 2, ops.SelfAttention{Heads: 1, Scale: 0.14}},
		{"n256-dropout", batch(256, 256, 256, 256), 1, ops.SelfAttention{Heads: 1, Scale: 0.14, Dropout: 0.1, Name: "bench"}},
		{"n256-queries", batch(256, 256, 256, 256), 1, ops.SelfAttention{Heads: 1, Scale: 0.14, OverQueries: true}},
		{"n2770-queries", batch(2770), 1, ops.SelfAttention{Heads: 1, Scale: 0.14, OverQueries: true}},
		{"n256-5heads", batch(256, 256, 256, 256), 1, ops.SelfAttention{Heads: 5, Scale: 0.3}},
	} {
		b.Run(c.name, func(b *testing.B) { benchSelfAttend(b, c.batch, c.workers, c.o) })
	}
	b.Run("matrix kernel", func(b *testing.B) {
		x, y, z := random("a", 256*50), random("b", 50*256), make([]float32, 256*256)
		for b.Loop() {
			simd.NN(256, 256, 50, x, 50, y, 256, z, 256, false)
		}
		b.ReportMetric(2*256*256*50*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

func benchSelfAttend(b *testing.B, data *ragged.Batch, workers int, o ops.SelfAttention) {
	g := ops.NewGraph(newPool(b, workers), true)
	var leaves []*ops.Node
	for i := range 3 {
		x := g.Leaf(fmt.Sprint(i), g.Words(), benchWidth, true)
		x.Set(ops.Mat{Rows: data.Words(), Cols: benchWidth, Data: random(fmt.Sprint(i), data.Words()*benchWidth)})
		leaves = append(leaves, x)
	}
	y, _ := ops.SelfAttend(leaves[0], leaves[1], leaves[2], o)
	cost := ops.Total(ops.Term{Node: ops.Linear(ops.Mean(y), g.Param("w", benchWidth, 1, random("w", benchWidth)), nil), Weight: 1})
	_, err := g.Grad(cost, leaves...)
	require.NoError(b, err)
	m, err := g.Machine()
	require.NoError(b, err)
	defer m.Close()
	require.NoError(b, m.Run(data, step))
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Run(data, step); err != nil {
			b.Fatal(err)
		}
	}
	var elements float64
	for i := range data.Len() {
		n := float64(data.Offsets[i+1] - data.Offsets[i])
		elements += n * n
	}
	each := b.Elapsed().Seconds() / float64(b.N) / elements
	b.ReportMetric(14*benchWidth/each/1e9, "GFLOP/s")
	b.ReportMetric(each*1e9, "ns/elem")
}
