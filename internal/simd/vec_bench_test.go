package simd_test

import (
	"fmt"
	"slices"
	"testing"

	"imdbexp/internal/simd"
)

// benchmarks lists each kernel with the elements of one call and the bytes that
// each element moves. The sizes fit in L1 or L2 as in training, or, for "big",
// lie beyond L2.
//
// The floor of each, and the best of many short calls in ns an element with
// AVX-512, on an Intel Xeon of family 6, model 207, at 2.94 GHz (from a chain of
// multiplications of 3 cycles). Other programs kept both cores busy, so these are
// minima, and "big", there in L3, says little. Ports: two 512-bit instructions a
// cycle, counted in the generated loop without loads and stores.
//
//	exp           ports, 14 instructions per 16 elements: 0.15; measured 0.18
//	sigmoid       ports, 19: 0.20; measured 0.29
//	tanh          ports, 27: 0.29; measured 0.38
//	LSTM forward  ports, 86 + 28 in two passes: 1.21; measured 1.9 (h 64) to 2.1 (50)
//	LSTM backward ports, 46: 0.49; measured 0.90 (h 64) to 1.07 (50)
//	softmax       max, exp and scale as measured: 0.30, and a log; measured 0.54 (n 230)
//	dropout       ports, 21, four of them VPMULLD of two uops: 0.27; measured 0.31
//	adam          divider: two divisions and a root, 0.67 with AVX2 too
//	rows·vector   L1 and L2 loads, 64 bytes a cycle: 0.021; measured 0.046 (87 GB/s)
//	axpy, add     L1, two loads and a store a cycle: 0.021; measured 0.028
var benchmarks = []struct {
	name  string
	n     int
	bytes int
	setup func(n int) func()
}{
	{"exp", 4096, 8, unaryBench(simd.Exp)},
	{"log", 4096, 8, unaryBench(simd.Log)},
	{"sigmoid", 4096, 8, unaryBench(simd.Sigmoid)},
	{"tanh", 4096, 8, unaryBench(simd.Tanh)},
	{"lstm-forward 64x50", 64 * 50, 44, lstmForwardBench(50)},
	{"lstm-forward 64x64", 64 * 64, 44, lstmForwardBench(64)},
	{"lstm-backward 64x50", 64 * 50, 52, lstmBackwardBench(50)},
	{"lstm-backward 64x64", 64 * 64, 52, lstmBackwardBench(64)},
	{"softmax", 230, 16, func(n int) func() {
		s, d := normals(n, 1), make([]float32, n)
		return func() { simd.SoftmaxLSE(d, s) }
	}},
	{"dot-rows 230x50", 230 * 50, 4, dotRowsBench},
	{"dot-rows big x50", 8_000_000, 4, dotRowsBench},
	{"dot", 50, 8, func(n int) func() {
		x, y := normals(n, 1), normals(n, 2)
		return func() { simd.Dot(x, y) }
	}},
	{"sum", 4096, 4, func(n int) func() {
		x := normals(n, 1)
		return func() { simd.Sum(x) }
	}},
	{"max", 4096, 4, func(n int) func() {
		x := normals(n, 1)
		return func() { simd.Max(x) }
	}},
	{"sum-squares", 4096, 4, func(n int) func() {
		x := normals(n, 1)
		return func() { simd.SumSquares(x) }
	}},
	{"axpy 50", 50, 12, axpyBench},
	{"axpy 4096", 4096, 12, axpyBench},
	{"axpy big", 8_000_000, 12, axpyBench},
	{"add 4096", 4096, 12, func(n int) func() {
		x, d := normals(n, 1), normals(n, 2)
		return func() { simd.Add(d, x) }
	}},
	{"column-sums 4096x200", 4096 * 200, 4, func(n int) func() {
		x, d := normals(n, 1), make([]float32, 200)
		return func() { simd.ColumnSums(d, x, n/200, 200, 200, false) }
	}},
	{"column-sums 230x50", 230 * 50, 4, func(n int) func() {
		x, d := normals(n, 1), make([]float32, 50)
		return func() { simd.ColumnSums(d, x, n/50, 50, 50, false) }
	}},
	{"add-bias 64x200", 64 * 200, 8, func(n int) func() {
		x, b := normals(n, 1), make([]float32, 200)
		return func() { simd.AddBias(x, n/200, 200, 200, b) }
	}},
	{"relu-grad", 4096, 12, func(n int) func() {
		x, d := normals(n, 1), make([]float32, n)
		return func() { simd.ReLUGrad(d, x, x) }
	}},
	{"sgd momentum", 20_000, 20, func(n int) func() {
		w, g, v := normals(n, 1), normals(n, 2), make([]float32, n)
		return func() { simd.SGDStep(w, g, v, 1e-6, 0.9, 0) }
	}},
	{"adam", 20_000, 28, adamBench},
	{"adam big", 1_000_000, 28, adamBench},
	{"dropout", 4096, 8, func(n int) func() {
		x, d := normals(n, 1), make([]float32, n)
		return func() { simd.Dropout(d, x, 1, 0.3) }
	}},
}

func unaryBench(f func(dst, x []float32)) func(n int) func() {
	return func(n int) func() {
		x, d := normals(n, 1), make([]float32, n)
		return func() { f(d, x) }
	}
}

func axpyBench(n int) func() {
	x, d := normals(n, 1), normals(n, 2)
	return func() { simd.Axpy(d, 1e-9, x) }
}

func dotRowsBench(n int) func() {
	x, q, d := normals(n, 1), normals(50, 2), make([]float32, n/50)
	return func() { simd.DotRows(d, x, 50, 50, q) }
}

// lstmForwardBench feeds the activations back in as pre-activations: their
// values do not change the time.
func lstmForwardBench(h int) func(n int) func() {
	return func(n int) func() {
		z, prev := normals(4*n, 1), normals(n, 2)
		c, out := make([]float32, n), make([]float32, n)
		return func() { simd.LSTMForward(z, n/h, h, prev, c, out) }
	}
}

func lstmBackwardBench(h int) func(n int) func() {
	return func(n int) func() {
		z, prev, c := normals(4*n, 1), normals(n, 2), normals(n, 3)
		dh, dc, dz := normals(n, 4), normals(n, 5), make([]float32, 4*n)
		return func() {
			simd.Fill(dc, 1) // dc is read and written: it must not run away
			simd.LSTMBackward(z, n/h, h, prev, c, dh, dc, dz)
		}
	}
}

func adamBench(n int) func() {
	w, g, m, v := normals(n, 1), normals(n, 2), make([]float32, n), make([]float32, n)
	p := simd.AdamParams{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, StepSize: 1e-6, SqrtBias2: 1}
	return func() { simd.AdamStep(w, g, m, v, p) }
}

// BenchmarkVec reports nanoseconds per element and GB/s.
func BenchmarkVec(b *testing.B) {
	for _, c := range benchmarks {
		for _, l := range slices.Backward(simd.Levels()) {
			b.Run(fmt.Sprintf("%s/%v", c.name, l), func(b *testing.B) {
				useLevel(b, l)
				run := c.setup(c.n)
				for b.Loop() {
					run()
				}
				ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(c.n)
				b.ReportMetric(ns, "ns/elem")
				b.ReportMetric(float64(c.bytes)/ns, "GB/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
