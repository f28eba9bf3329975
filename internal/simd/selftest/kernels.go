package selftest

import (
	"maps"

	"imdbexp/internal/simd"
)

// Kernel calls one kernel with operands for a length n: the length of a vector, the width
// of rows or a side of a matrix.
type Kernel func(e *Operands, n int)

// Kernels are all kernels by name, some in several variants: in place, or at a first step.
var Kernels = func() map[string]Kernel {
	all := map[string]Kernel{}
	for _, m := range []map[string]Kernel{vectorKernels, cellKernels, rowKernels, attentionKernels, products} {
		maps.Copy(all, m)
	}
	return all
}()

// vectorKernels work on whole vectors and on rows.
var vectorKernels = map[string]Kernel{
	"Exp":     func(e *Operands, n int) { simd.Exp(e.Vec(n), e.Scaled(n, 40)) },
	"Log":     func(e *Operands, n int) { simd.Log(e.Vec(n), e.Vec(n)) },
	"Sigmoid": func(e *Operands, n int) { simd.Sigmoid(e.Vec(n), e.Scaled(n, 20)) },
	"Tanh":    func(e *Operands, n int) { simd.Tanh(e.Vec(n), e.Vec(n)) },

	"Dot":        func(e *Operands, n int) { e.Result(float64(simd.Dot(e.Vec(n), e.Vec(n)))) },
	"Sum":        func(e *Operands, n int) { e.Result(float64(simd.Sum(e.Vec(n)))) },
	"Max":        func(e *Operands, n int) { e.Result(float64(simd.Max(e.Vec(n)))) },
	"SumSquares": func(e *Operands, n int) { e.Result(simd.SumSquares(e.Vec(n))) },
	"SoftmaxLSE": func(e *Operands, n int) { e.Result(float64(simd.SoftmaxLSE(e.Vec(n), e.Scaled(n, 5)))) },
	"SoftmaxLSE in place": func(e *Operands, n int) {
		s := e.Scaled(n, 5)
		e.Result(float64(simd.SoftmaxLSE(s, s)))
	},

	"DotRows": func(e *Operands, n int) {
		rows := n%19 + n%2
		simd.DotRows(e.Vec(rows), e.Vec(max(0, (rows-1)*(n+3)+n)), n+3, n, e.Vec(n))
	},
	"ColumnSums": func(e *Operands, n int) {
		rows := n % 7
		x := e.Vec(max(0, (rows-1)*(n+5)+n))
		simd.ColumnSums(e.Vec(n), x, rows, n+5, n, n%2 == 0)
	},
	"AddBias": func(e *Operands, n int) {
		rows := n % 5
		simd.AddBias(e.Vec(rows*n), rows, n, n, e.Vec(n))
	},

	"Axpy":     func(e *Operands, n int) { simd.Axpy(e.Vec(n), e.Number(), e.Vec(n)) },
	"Add":      func(e *Operands, n int) { simd.Add(e.Vec(n), e.Vec(n)) },
	"Mul":      func(e *Operands, n int) { simd.Mul(e.Vec(n), e.Vec(n), e.Vec(n)) },
	"Scale":    func(e *Operands, n int) { simd.Scale(e.Vec(n), e.Number()) },
	"Fill":     func(e *Operands, n int) { simd.Fill(e.Vec(n), 3) },
	"ReLU":     func(e *Operands, n int) { simd.ReLU(e.Vec(n), e.Vec(n)) },
	"ReLUGrad": func(e *Operands, n int) { simd.ReLUGrad(e.Vec(n), e.Vec(n), e.Vec(n)) },

	"LSTMForward": func(e *Operands, n int) {
		rows := 1 + n%6
		simd.LSTMForward(e.Vec(4*n*rows), rows, n, e.Vec(n*rows), e.Vec(n*rows), e.Vec(n*rows))
	},
	"LSTMForward first": func(e *Operands, n int) {
		rows := 1 + n%6
		simd.LSTMForward(e.Vec(4*n*rows), rows, n, nil, e.Vec(n*rows), e.Vec(n*rows))
	},
	"LSTMForward in place": func(e *Operands, n int) {
		rows := 1 + n%6
		c := e.Vec(n * rows)
		simd.LSTMForward(e.Vec(4*n*rows), rows, n, c, c, e.Vec(n*rows))
	},
	"LSTMBackward": func(e *Operands, n int) {
		rows := 1 + n%6
		simd.LSTMBackward(e.Vec(4*n*rows), rows, n, e.Vec(n*rows), e.Vec(n*rows), e.Vec(n*rows), e.Vec(n*rows), e.Vec(4*n*rows))
	},
	"LSTMBackward first, in place": func(e *Operands, n int) {
		rows := 1 + n%6
		z := e.Vec(4 * n * rows)
		simd.LSTMBackward(z, rows, n, nil, e.Vec(n*rows), e.Vec(n*rows), e.Vec(n*rows), z)
	},

	"SGDStep":          func(e *Operands, n int) { simd.SGDStep(e.Vec(n), e.Vec(n), nil, 0.1, 0, 0.01) },
	"SGDStep momentum": func(e *Operands, n int) { simd.SGDStep(e.Vec(n), e.Vec(n), e.Vec(n), 0.1, 0.9, 0.01) },
	"AdamStep": func(e *Operands, n int) {
		w, g, m, v := e.Vec(n), e.Vec(n), e.Vec(n), e.Vec(n)
		for i := range v {
			v[i] *= v[i]
		}
		simd.AdamStep(w, g, m, v, adamParams)
	},

	"Dropout": func(e *Operands, n int) {
		simd.Dropout(e.Vec(n), e.Vec(n), simd.Key(uint64(n), "dropout"), 0.3)
	},
	"Uniform": func(e *Operands, n int) { simd.Uniform(e.Vec(n), 7, -1, 2) },
	"Normal":  func(e *Operands, n int) { simd.Normal(e.Vec(n), 7, 1, 2) },
}

var adamParams = simd.AdamParams{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, StepSize: 0.01,
	SqrtBias2: 0.3, WeightDecay: 0.02, Decoupled: 0.003}
