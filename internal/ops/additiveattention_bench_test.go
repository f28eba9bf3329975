package ops_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// An element is one unit of one pair of a target row and a source word. Its floor at
// width 128, from the kernels alone on rows that stay in the first cache, with AVX-512
// on an Intel Xeon of family 6, model 207: forwards a copy 0.05 ns, the query added 0.04,
// tanh 0.39, the score 0.04 and the softmax of 14 words 0.1; backwards the first three
// again and 0.35 for the gradients; 1.45 in all. Measured, the shortest of many runs on
// a busy machine: 1.52 at width 128, 1.79 at 64, where calls weigh more. To keep tanh
// instead of computing it again would give 1.34 and 1.51, and take m·n·a numbers a pair:
// too many for long ones, and next to the loss over the vocabulary the time is nothing.
func BenchmarkAdditiveAttention(b *testing.B) {
	const pairs, n, m = 64, 14, 14
	for _, w := range []int{64, 128} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("width %d, %d workers", w, workers), func(b *testing.B) {
				data := evenPairs(pairs, n, m)
				g := ops.NewGraph(newPool(b, workers), true)
				q, k, h := filled(g, g.Targets(), pairs*m, w), filled(g, g.Words(), pairs*n, w), filled(g, g.Words(), pairs*n, w)
				v := g.Param("v", 1, w, random("v", w))
				c, _ := ops.AdditiveAttention(q, k, v, h)
				train(b, g, ops.Linear(ops.Mean(c), g.Param("u", w, 1, random("u", w)), nil), data, 6*pairs*m*n*float64(w), q, k, v, h)
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/(pairs*m*n)/float64(w)*1e9, "ns/elem")
			})
		}
	}
}

// Counted are the products with weights, 6·(3s² + sa + 3ds) operations a target row. The
// floor at width 128 on the same machine: these at the kernel's 127 GFLOP/s for a shard's
// rows 4.9 ms, attention 2.3 as above, products with values 0.25, the cell's own
// arithmetic 0.6; 8.1 ms in all. Measured 8.3 (74 GFLOP/s, 59 % of the kernel's rate;
// 0.59 ms a step), and 3.3 at width 64, whose floor is 3.0 (46 GFLOP/s, 34 %).
func BenchmarkBahdanauGRU(b *testing.B) {
	const pairs, n, m = 64, 14, 14
	for _, w := range []int{64, 128} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("width %d, %d workers", w, workers), func(b *testing.B) {
				data := evenPairs(pairs, n, m)
				g := ops.NewGraph(newPool(b, workers), true)
				states, leaves := bahdanauOf(g, pairs, n, m, w)
				flops := 6.0 * pairs * m * float64(7*w*w)
				train(b, g, ops.Linear(ops.Mean(states), g.Param("u", w, 1, random("u", w)), nil), data, flops, leaves...)
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/m*1e6, "µs/step")
			})
		}
		b.Run(fmt.Sprintf("matrix kernel, 64×%d×%d", w, 3*w), func(b *testing.B) {
			x, y, z := random("x", pairs*w), random("y", w*3*w), make([]float32, pairs*3*w)
			for b.Loop() {
				simd.NN(pairs, 3*w, w, x, w, y, 3*w, z, 3*w, true)
			}
			b.ReportMetric(2*pairs*float64(3*w*w)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// bahdanauOf adds a decoder of width w to a graph, for a number of pairs of n words and m rows. It
// returns its states and its inputs.
func bahdanauOf(g *ops.Graph, pairs, n, m, w int) (states *ops.Node, leaves []*ops.Node) {
	leaves = []*ops.Node{filled(g, g.Targets(), pairs*m, 3*w), filled(g, g.Words(), pairs*n, w),
		filled(g, g.Words(), pairs*n, w), filled(g, g.Words().Reviews(), pairs, w)}
	for _, s := range [][2]int{{w, w}, {1, w}, {w, 3 * w}, {w, 3 * w}, {1, 3 * w}} {
		data := random("w", s[0]*s[1])
		simd.Scale(data, 0.2)
		leaves = append(leaves, g.Param("w", s[0], s[1], data))
	}
	states, _, _, _ = ops.BahdanauGRU(leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], leaves[5], leaves[6], leaves[7], leaves[8])
	return states, leaves
}

// evenPairs is a batch of pairs of the same lengths.
func evenPairs(pairs, words, rows int) *ragged.Batch {
	lengths := make([][2]int, pairs)
	for i := range lengths {
		lengths[i] = [2]int{words, rows}
	}
	return pairsOf(lengths...)
}
