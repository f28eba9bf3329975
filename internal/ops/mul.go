package ops

import "imdbexp/internal/simd"

// Mul is a ⊙ b, element by element, on any axis: a gate, such as that of the gated attention of
// Ilse et al. 2018.
func Mul(a, b *Node) *Node { return combined("mul", &mul{g: a.g}, a, b) }

type mul struct {
	g    *Graph
	part []float32
}

func (k *mul) forward(in, out []Mat) error {
	return k.g.pool.rowwise(out[0].Rows, func(lo, hi int) {
		simd.Mul(out[0].Range(lo, hi), in[0].Range(lo, hi), in[1].Range(lo, hi))
	})
}

func (k *mul) exact(in, out []Mat64) error {
	for i, v := range in[0].Data {
		out[0].Data[i] = v * in[1].Data[i]
	}
	return nil
}

// backward computes ∂a = ∂y ⊙ b and ∂b = ∂y ⊙ a.
func (k *mul) backward(in, _, dout []Mat, din []Grad) error {
	part := Mat{Rows: dout[0].Rows, Cols: dout[0].Cols, Data: grown(k.part, len(dout[0].Data))}
	k.part = part.Data
	return k.g.pool.rowwise(part.Rows, func(lo, hi int) {
		for i, other := range []Mat{in[1], in[0]} {
			simd.Mul(part.Range(lo, hi), dout[0].Range(lo, hi), other.Range(lo, hi))
			din[i].putRange(lo, hi, part.Range(lo, hi))
		}
	})
}

func (k *mul) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.Op("Mul", x.all(in)...)}, nil
}

func (k *mul) term(e *equation, n *Node) string {
	factor := func(n *Node) string {
		text := e.of(n, "tanh", "sigmoid", "relu", "gelu")
		if e.bias != "" {
			text, e.bias = "("+text+" + "+e.bias+")", ""
		}
		return text
	}
	return factor(n.src.inputs[0]) + " ⊙ " + factor(n.src.inputs[1])
}
