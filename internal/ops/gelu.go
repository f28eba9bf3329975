package ops

import "imdbexp/internal/simd"

// GELU is the Gaussian error linear unit in its tanh form, element by element, on
// any axis (Hendrycks and Gimpel 2016; the form of GPT-2):
//
//	y = ½x (1 + tanh(√(2/π)·(x + 0.044715x³)))
//
// It differs from the exact x·Φ(x) by less than 0.0005. As ½(1 + tanh u) = σ(2u),
// it is computed as x·σ(x·(p + q·x²)), where nothing cancels for large −x.
func GELU(x *Node) *Node { return elementwise(x, geluElement) }

var geluElement = element{
	name: "gelu", f: gelu, grad: geluGrad,
	exact: func(x float64) float64 { return x * exactSigmoid(x*(GELUP+GELUQ*x*x)) },
	onnx: func(x *Export, in string) string {
		inner := x.Op("Add", x.Op("Mul", x.Op("Mul", in, in), x.number("gelu.q", GELUQ)), x.number("gelu.p", GELUP))
		return x.Op("Mul", in, x.Op("Sigmoid", x.Op("Mul", in, inner)))
	},
}

// The constants p and q of GELU.
const (
	GELUP = 1.5957691216057308 // 2√(2/π)
	GELUQ = 0.044715 * GELUP
)

// geluBlock is the number of elements at a time: the passes stay in the L1 cache.
const geluBlock = 1024

// geluGate sets s to σ(x·(p + q·x²)).
func geluGate(s, x, squares []float32) {
	simd.Fill(s, GELUP)
	simd.Axpy(s, GELUQ, squares)
	simd.Mul(s, s, x)
	simd.Sigmoid(s, s)
}

func gelu(y, x []float32) {
	var buf [geluBlock]float32
	for len(x) > 0 {
		n := min(len(x), geluBlock)
		squares, block := buf[:n], y[:n]
		simd.Mul(squares, x[:n], x[:n])
		geluGate(block, x[:n], squares)
		simd.Mul(block, block, x[:n])
		x, y = x[n:], y[n:]
	}
}

// geluGrad computes, with s = σ(x·(p + q·x²)),
//
//	∂x = ∂y·s·(1 + (1−s)·x·(p + 3q·x²))
func geluGrad(dx, x, _, dy []float32) {
	var a, b [geluBlock]float32
	for len(x) > 0 {
		n := min(len(x), geluBlock)
		squares, s, d := a[:n], b[:n], dx[:n]
		simd.Mul(squares, x[:n], x[:n])
		geluGate(s, x[:n], squares)
		simd.Fill(d, GELUP)
		simd.Axpy(d, 3*GELUQ, squares)
		simd.Mul(d, d, x[:n])
		rest := squares
		simd.Fill(rest, 1)
		simd.Axpy(rest, -1, s)
		simd.Mul(d, d, rest)
		simd.Fill(rest, 1)
		simd.Add(d, rest)
		simd.Mul(d, d, s)
		simd.Mul(d, d, dy[:n])
		x, dx, dy = x[n:], dx[n:], dy[n:]
	}
}
