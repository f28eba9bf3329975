package ops_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// train runs a graph's cost and the gradients of the leaves on one batch again and
// again; flops is what one run costs.
func train(b *testing.B, g *ops.Graph, cost *ops.Node, data *ragged.Batch, flops float64, leaves ...*ops.Node) {
	_, err := g.Grad(ops.Total(ops.Term{Node: cost, Weight: 1}), leaves...)
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
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// filled is a leaf with gradient, set to random numbers.
func filled(g *ops.Graph, axis ops.Axis, rows, cols int) *ops.Node {
	n := g.Leaf("x", axis, cols, true)
	n.Set(ops.Mat{Rows: rows, Cols: cols, Data: random("x", rows*cols)})
	return n
}

// Three products M×e×V, with a softmax between them, compared with the same composed of
// the ops for classes, every row a review of one word.
func BenchmarkVocabularyLoss(b *testing.B) {
	for _, s := range []struct{ words, e, workers int }{{500, 128, 1}, {5000, 128, 1}, {5000, 256, 1}, {10000, 128, 1}, {500, 128, 2}, {5000, 128, 2}} {
		data := sentences(64)
		rows := data.Targets()
		for i := range data.TargetOut {
			data.TargetOut[i] = int32(simd.Hash1(1, uint64(i)) % uint64(s.words))
		}
		name := fmt.Sprintf("%dx%dx%d, %d workers", rows, s.e, s.words, s.workers)
		flops := 6 * float64(rows) * float64(s.e) * float64(s.words)
		b.Run("fused/"+name, func(b *testing.B) {
			g := ops.NewGraph(newPool(b, s.workers), true)
			x := filled(g, g.Targets(), rows, s.e)
			w := g.Param("w", s.words, s.e, random("w", s.words*s.e))
			bias := g.Param("b", 1, s.words, random("b", s.words))
			train(b, g, ops.VocabularyLoss(x, w, bias, 0.1).Mean, data, flops, x, w, bias)
		})
		b.Run("composed/"+name, func(b *testing.B) {
			single := batch(make([]int, rows)...)
			single.Offsets, single.IDs, single.Labels = single.Offsets[:1], make([]int32, rows), data.TargetOut
			for i := range rows {
				single.Offsets = append(single.Offsets, i+1)
			}
			g := ops.NewGraph(newPool(b, s.workers), true)
			x := filled(g, g.Words().Reviews(), rows, s.e)
			w := g.Param("w", s.e, s.words, random("w", s.words*s.e))
			bias := g.Param("b", 1, s.words, random("b", s.words))
			train(b, g, ops.SmoothedCrossEntropy(ops.Linear(x, w, bias), 0.1).Mean, single, flops, x, w, bias)
		})
	}
}

// Forwards x·Wx and h·Wh, backwards two products for each.
func BenchmarkLSTMFrom(b *testing.B) {
	data := sentences(64)
	rows := data.Targets()
	for _, h := range []int{64, 128, 256} {
		b.Run(fmt.Sprint(h), func(b *testing.B) {
			g := ops.NewGraph(newPool(b, 1), true)
			leaves := []*ops.Node{filled(g, g.Targets(), rows, h)}
			for _, s := range [][2]int{{h, 4 * h}, {h, 4 * h}, {1, 4 * h}} {
				leaves = append(leaves, g.Param("w", s[0], s[1], random("w", s[0]*s[1])))
			}
			for range 2 {
				leaves = append(leaves, filled(g, g.Words().Reviews(), data.Len(), h))
			}
			states, _, _ := ops.LSTMFrom(leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], leaves[5])
			cost := ops.Linear(ops.Mean(states), g.Param("v", h, 1, random("v", h)), nil)
			train(b, g, cost, data, 2*4*float64(h*6*h*rows), leaves...)
		})
	}
}

// The work is bytes: each row is read and written, and backwards the whole gradient.
func BenchmarkEmbed(b *testing.B) {
	const words, e = 5000, 128
	data := sentences(64)
	for i, id := range data.TargetIn {
		data.TargetIn[i] = int32(simd.Hash2(1, uint64(id), uint64(i)) % words)
	}
	g := ops.NewGraph(newPool(b, 1), true)
	w := g.Param("w", words, e, random("w", words*e))
	cost := ops.Linear(ops.Mean(ops.Embed(w, g.Targets())), g.Param("v", e, 1, random("v", e)), nil)
	train(b, g, cost, data, 0, w)
}
