package simd_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"imdbexp/internal/simd"
)

// BenchmarkVec measures each kernel by the nanoseconds that an element takes and the GB/s of the bytes
// that it moves. The sizes fit in L1 or L2 as in training, or, for "big", lie beyond L2. Attention's
// kernels have a tile of 128 × 128 scores. docs/performance/notes.md has the floors.
func BenchmarkVec(b *testing.B) {
	const tile, ld = 128, 144
	keys := make([]uint32, tile)
	adam := func(w, g, m, v []float32) {
		n := len(w) / 4
		simd.AdamStep(w[:n], g[:n], m[:n], v[:n], simd.AdamParams{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, StepSize: 1e-6, SqrtBias2: 1})
	}
	axpy := func(x, y, _, _ []float32) { simd.Axpy(y[:len(y)/4], 1e-9, x[:len(x)/4]) }
	dotRows := func(x, y, z, _ []float32) { simd.DotRows(z[:len(x)/200], x, 50, 50, y[:50]) }
	columnSums := func(d int) func(x, y, _, _ []float32) {
		return func(x, y, _, _ []float32) { simd.ColumnSums(y[:d], x, len(x)/4/d, d, d, false) }
	}
	// Activations are read as pre-activations: their values do not change the time.
	forward := func(h int) func(x, y, z, w []float32) {
		return func(x, y, z, w []float32) { n := len(x) / 4; simd.LSTMForward(x, n/h, h, y[:n], z[:n], w[:n]) }
	}
	backward := func(h int) func(x, y, z, w []float32) {
		return func(x, y, z, w []float32) {
			n := len(x) / 4
			c, dh, dc := z[:n], z[n:2*n], z[2*n:3*n]
			simd.Fill(dc, 1) // dc is read and written: it must not run away
			simd.LSTMBackward(x, n/h, h, y[:n], c, dh, dc, w)
		}
	}
	unary := func(f func(dst, x []float32)) func(x, y, _, _ []float32) {
		return func(x, y, _, _ []float32) { f(y[:len(y)/4], x[:len(x)/4]) }
	}
	for _, c := range []struct {
		name     string
		n, bytes int                        // elements of a call, and bytes of each
		run      func(x, y, z, w []float32) // of 4·n numbers each
	}{
		{"exp", 4096, 8, unary(simd.Exp)},
		{"log", 4096, 8, unary(simd.Log)},
		{"sigmoid", 4096, 8, unary(simd.Sigmoid)},
		{"tanh", 4096, 8, unary(simd.Tanh)},
		{"lstm-forward 64x50", 64 * 50, 44, forward(50)},
		{"lstm-forward 64x64", 64 * 64, 44, forward(64)},
		{"lstm-backward 64x50", 64 * 50, 52, backward(50)},
		{"lstm-backward 64x64", 64 * 64, 52, backward(64)},
		{"softmax", 230, 16, func(x, y, _, _ []float32) { simd.SoftmaxLSE(y[:230], x[:230]) }},
		{"dot-rows 230x50", 230 * 50, 4, dotRows},
		{"dot-rows big x50", 2_000_000, 4, dotRows},
		{"dot", 50, 8, func(x, y, _, _ []float32) { simd.Dot(x[:50], y[:50]) }},
		{"sum", 4096, 4, func(x, _, _, _ []float32) { simd.Sum(x[:4096]) }},
		{"max", 4096, 4, func(x, _, _, _ []float32) { simd.Max(x[:4096]) }},
		{"sum-squares", 4096, 4, func(x, _, _, _ []float32) { simd.SumSquares(x[:4096]) }},
		{"axpy 50", 50, 12, axpy},
		{"axpy 4096", 4096, 12, axpy},
		{"axpy big", 2_000_000, 12, axpy},
		{"add 4096", 4096, 12, unary(simd.Add)},
		{"column-sums 4096x200", 4096 * 200, 4, columnSums(200)},
		{"column-sums 230x50", 230 * 50, 4, columnSums(50)},
		{"add-bias 64x200", 64 * 200, 8, func(x, y, _, _ []float32) { simd.AddBias(x, 64, 200, 200, y[:200]) }},
		{"relu-grad", 4096, 12, func(x, y, _, _ []float32) { simd.ReLUGrad(y, x, x) }},
		{"sgd momentum", 20_000, 20, func(w, g, v, _ []float32) { simd.SGDStep(w[:20_000], g[:20_000], v[:20_000], 1e-6, 0.9, 0) }},
		{"adam", 20_000, 28, adam},
		{"adam big", 1_000_000, 28, adam},
		{"dropout", 4096, 8, func(x, y, _, _ []float32) { simd.Dropout(y[:4096], x[:4096], 1, 0.3) }},
		{"column-max", tile * tile, 4, func(x, y, _, _ []float32) { simd.ColumnMax(y[:tile], x, tile, ld, tile) }},
		{"softmax-columns", tile * tile, 8, func(x, y, z, w []float32) { simd.SoftmaxColumns(x, tile, ld, tile, 1, y[:tile], z[:tile], w[:tile]) }},
		{"grad-rows", tile * tile, 12, func(x, y, z, w []float32) { simd.SoftmaxGradRows(x, y, tile, ld, tile, 1, z[:tile], w[:tile], 0) }},
		{"grad-columns", tile * tile, 12, func(x, y, z, w []float32) { simd.SoftmaxGradColumns(x, y, tile, ld, tile, 1, z[:tile], w[:tile], 0) }},
		{"dropout-grid", tile * tile, 8, func(x, _, _, _ []float32) { simd.DropoutGrid(x, tile, ld, tile, keys, keys, 0.1) }},
		{"transpose", tile * 50, 8, func(x, y, _, _ []float32) { simd.Transpose(y, ld, x, ld, tile, 50) }},
	} {
		for _, l := range slices.Backward(simd.Levels()) {
			b.Run(fmt.Sprintf("%s/%v", c.name, l), func(b *testing.B) {
				useLevel(b, l)
				x, y, z, w := normals(4*c.n, 1), normals(4*c.n, 2), normals(4*c.n, 3), make([]float32, 4*c.n)
				for b.Loop() {
					c.run(x, y, z, w)
				}
				ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(c.n)
				b.ReportMetric(ns, "ns/elem")
				b.ReportMetric(float64(c.bytes)/ns, "GB/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkGemm measures the products of the LSTM (N words in one go, one step
// of few reviews, the gradients) and of attention's tiles, on one core.
func BenchmarkGemm(b *testing.B) {
	nn, tn, nt := products[0], products[1], products[2]
	for _, s := range []struct {
		product product
		m, k, n int
	}{
		{nn, 4096, 50, 200}, {nn, 4096, 50, 256}, {nn, 64, 64, 256},
		{nn, 16, 50, 200}, {nn, 8, 50, 200}, {nn, 4, 50, 200}, {nn, 1, 50, 200},
		{nn, 1, 1, 1}, {nn, 8, 200, 50}, {nn, 1, 200, 50}, {nn, 4096, 50, 50}, {nn, 512, 512, 512},
		{tn, 50, 512, 200}, {tn, 50, 4096, 200},
		{nt, 4096, 200, 50}, {nt, 256, 50, 256}, {nn, 256, 50, 256}, {nn, 256, 256, 50},
	} {
		r := rand.New(rand.NewPCG(7, 8))
		ar, ac, br, bc := s.product.sizes(s.m, s.n, s.k)
		x, y := newGemmMatrix(ar, ac, 0, normalValues(r)), newGemmMatrix(br, bc, 0, normalValues(r))
		z := make([]float32, s.m*s.n)
		atEveryLevel(func(l simd.Level) {
			b.Run(fmt.Sprintf("%s/%dx%dx%d/%v", s.product.name, s.m, s.k, s.n, l), func(b *testing.B) {
				for b.Loop() {
					s.product.run(s.m, s.n, s.k, x.view, x.ld, y.view, y.ld, z, s.n, false)
				}
				flops := 2 * float64(s.m) * float64(s.n) * float64(s.k)
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		})
	}
}
