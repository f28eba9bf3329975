package ops

import (
	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// Prepend adds a row of weights in front of the words of each review, such as the
// token [CLS] (Devlin et al. 2019):
//
//	y = [row, x₁, …, xₙ]
//
// x is [N, d], row [1, d], the result [N+B, d] on x's Fronted axis.
func Prepend(x, row *Node) *Node {
	s, ok := x.axis.(*Seq)
	if !ok || row.axis.Len() != 1 || row.cols != x.cols {
		return x.g.fail("prepend: x [·, %d] needs one row a word, and the row in front is [%d, %d]", x.cols, row.axis.Len(), row.cols)
	}
	k := &prepend{g: x.g, from: s, to: s.Fronted()}
	return x.g.apply("prepend", k, []*Node{x, row}, result{k.to, x.cols})[0]
}

type prepend struct {
	g        *Graph
	from, to *Seq
	drow     []float32
}

func (k *prepend) forward(in, out []Mat) error {
	x, y := in[0], out[0]
	return k.g.pool.reviews(k.to, func(_, b, lo, hi int) {
		copy(y.Row(lo), in[1].Data)
		copy(y.Range(lo+1, hi), x.Range(k.from.Offsets[b], k.from.Offsets[b+1]))
	})
}

func (k *prepend) exact(in, out []Mat64) error {
	for b := range k.from.reviews.Len() {
		y := k.to.of(out[0], b).Data
		copy(y[copy(y, in[1].Data):], k.from.of(in[0], b).Data)
	}
	return nil
}

// backward sums the gradient of the row over the reviews, in their order.
func (k *prepend) backward(_, _, dout []Mat, din []Grad) error {
	dx, dy := din[0], dout[0]
	if din[1].Wanted() {
		k.drow = grown(k.drow, dy.Cols)
		clear(k.drow)
		for b := range k.to.reviews.Len() {
			simd.Add(k.drow, dy.Row(k.to.Offsets[b]))
		}
		din[1].putAll(k.drow)
	}
	if !dx.Wanted() {
		return nil
	}
	return k.g.pool.reviews(k.to, func(_, b, lo, hi int) {
		dx.putRange(k.from.Offsets[b], k.from.Offsets[b+1], dy.Range(lo+1, hi))
	})
}

func (k *prepend) onnx(x *Export, in []*Node) ([]string, error) {
	row := x.repeat(x.expand(x.Name(in[1]), 0), 3) // [B, 1, d]
	return []string{x.concat(1, row, x.Name(in[0]))}, nil
}

func (k *prepend) picture(s *Sketch, n *Node) drawn {
	x := s.node(n.src.inputs[0])
	if s.listing {
		all := x.symbol + "₁ … " + x.symbol + "ₙ"
		return drawn{s.box(diagram.Op(all + " ← [CLS] " + all + ", [CLS] is learned")), x.symbol}
	}
	row := s.box(diagram.Weight("learned [CLS]"))
	v := s.box(diagram.Val("[CLS] "+x.symbol+"₁ … "+x.symbol+"ₙ"), diagram.Edge{From: row}, diagram.Edge{From: x.vertex})
	return drawn{v, x.symbol}
}
