package ops

import (
	"fmt"
	"math"

	"imdbexp/internal/simd"
)

// HeadSimilarity measures how similar the heads of a projection are:
//
//	y = Σ_{i≠j} cos²(Wᵢ, Wⱼ)    cos(a, b) = a·b / (|a|·|b|)
//
// W is [d, H·k], head i its columns i·k … (i+1)·k as one vector of d·k numbers.
// The result [1, 1] lies between 0 (all heads orthogonal, or only one) and
// H(H−1) (all parallel). As a term of the cost it keeps the heads different.
func HeadSimilarity(w *Node, heads int) *Node {
	if heads < 1 || w.cols%heads != 0 {
		return w.g.fail("head similarity: %d columns for %d heads", w.cols, heads)
	}
	return w.g.apply("head similarity", &headSimilarity{heads: heads}, []*Node{w}, result{newFixed(1), 1})[0]
}

type headSimilarity struct {
	heads   int
	flat    []float32 // [H, d·k] the heads as rows
	squares []float64 // [H] |Wᵢ|²
	cos     []float64 // [H, H]
	mix     []float32 // [H, H] coefficient of each head in the gradient of another
	dflat   []float32
}

// turn copies the heads from their columns to rows of flat, or back.
func (k *headSimilarity) turn(w Mat, flat []float32, back bool) {
	width := w.Cols / k.heads
	for i := range k.heads {
		for r := range w.Rows {
			column, row := w.Row(r)[i*width:][:width], flat[(i*w.Rows+r)*width:][:width]
			if back {
				copy(column, row)
			} else {
				copy(row, column)
			}
		}
	}
}

func (k *headSimilarity) forward(in, out []Mat) error {
	w, h := in[0], k.heads
	k.flat = grown(k.flat, len(w.Data))
	k.turn(w, k.flat, false)
	size := len(w.Data) / h
	head := func(i int) []float32 { return k.flat[i*size:][:size] }
	if k.cos == nil {
		k.squares, k.cos = make([]float64, h), make([]float64, h*h)
	}
	var sum float64
	for i := range h {
		k.squares[i] = simd.SumSquares(head(i))
		for j := range i {
			var c float64 // 0 for a head of zeros, too
			if norms := float64(k.squares[i] * k.squares[j]); norms > 0 {
				c = float64(simd.Dot(head(i), head(j))) / math.Sqrt(norms)
			}
			k.cos[i*h+j], k.cos[j*h+i] = c, c
			sum += float64(2 * c * c)
		}
	}
	out[0].Data[0] = float32(sum)
	return nil
}

func (k *headSimilarity) exact(in, out []Mat64) error {
	width := in[0].Cols / k.heads
	for i := range k.heads {
		for j := range k.heads {
			a, b := in[0].columns(i*width, width).Data, in[0].columns(j*width, width).Data
			if norms := exactDot(a, a) * exactDot(b, b); i != j && norms > 0 {
				out[0].Data[0] += exactDot(a, b) * exactDot(a, b) / norms
			}
		}
	}
	return nil
}

// backward computes, with cᵢⱼ the cosines,
//
//	∂Wᵢ = 4 Σ_{j≠i} cᵢⱼ (Wⱼ/(|Wᵢ||Wⱼ|) − cᵢⱼ Wᵢ/|Wᵢ|²)
func (k *headSimilarity) backward(in, _, dout []Mat, din []Grad) error {
	w, h := in[0], k.heads
	g := float64(dout[0].Data[0])
	k.mix = grown(k.mix, h*h)
	clear(k.mix)
	for i := range h {
		var own float64
		for j := range h {
			c := k.cos[i*h+j]
			if i == j || c == 0 {
				continue
			}
			k.mix[i*h+j] = float32(4 * g * c / math.Sqrt(float64(k.squares[i]*k.squares[j])))
			own += float64(c * c)
		}
		if own > 0 {
			k.mix[i*h+i] = float32(-4 * g * own / k.squares[i])
		}
	}
	size := len(w.Data) / h
	k.dflat = grown(k.dflat, len(w.Data))
	simd.NN(h, size, h, k.mix, h, k.flat, size, k.dflat, size, false)
	// flat is not needed any more: it is reused for the gradient in the order of w.
	turned := Mat{Rows: w.Rows, Cols: w.Cols, Data: k.flat}
	k.turn(turned, k.dflat, true)
	din[0].putAll(k.flat)
	return nil
}

func (k *headSimilarity) onnx(*Export, []*Node) ([]string, error) { return nil, errTraining }

// cost returns the term of the head similarity in the cost.
func (k *headSimilarity) cost(t Term) []string {
	return []string{fmt.Sprintf("loss + %g·Σ cos²(Wᵢ, Wⱼ)", t.Weight)}
}
