package ops

import (
	"imdbexp/internal/diagram"
	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// Uniform gives all words of a review the same weight:
//
//	αᵢ = 1/n    H = log n
//
// x only provides the axis; its values are ignored and have no gradient.
// Results as from Attend: the weights [N, 1] and their entropy [B, 1] in nats.
func Uniform(x *Node) (attention, entropy *Node) {
	k := &uniform{x.words("uniform")}
	r := x.g.apply("uniform", k, []*Node{x}, result{k.seq, 1}, result{k.seq.reviews, 1})
	r[0].Detach()
	r[1].Detach()
	return r[0], r[1]
}

type uniform struct{ onWords }

func (k *uniform) forward(_, out []Mat) error {
	return k.each(func(_, b, lo, hi int) {
		simd.Fill(out[0].Data[lo:hi], 1/float32(hi-lo))
		out[1].Data[b] = simd.Log1(float32(hi - lo))
	})
}

func (k *uniform) exact(_, out []Mat64) error {
	for b := range out[1].Rows {
		weights := k.seq.of(out[0], b).Data
		for i := range weights {
			weights[i] = 1 / float64(len(weights))
		}
		out[1].Data[b] = exactEntropy(weights)
	}
	return nil
}

// backward is never called: the results are held.
func (k *uniform) backward(_, _, _ []Mat, _ []Grad) error { return nil }

func (k *uniform) onnx(x *Export, _ []*Node) ([]string, error) {
	p := x.places(k.seq)
	n := x.cast(p.lengths, onnx.Float) // [batch, 1]
	return []string{x.Op("Div", p.present, x.expand(n, 2)), x.Op("Log", n)}, nil
}

func (k *uniform) picture(s *Sketch, n *Node) drawn {
	v := s.box(diagram.Op(append([]string{"αᵢ = 1/n"}, s.notes[k]...)...), diagram.Edge{From: s.node(n.src.inputs[0]).vertex})
	return drawn{v, "α"}
}
