package ops

import "imdbexp/internal/diagram"

// First returns the first row of each review, where Prepend puts its token:
//
//	y_b = x_b,₁
//
// x is [N, d], the result [B, d].
func First(x *Node) *Node {
	k := &first{x.words("first")}
	return x.g.apply("first", k, []*Node{x}, result{k.seq.reviews, x.cols})[0]
}

type first struct{ onWords }

func (k *first) forward(in, out []Mat) error {
	for b, lo := range k.seq.Offsets[:out[0].Rows] {
		copy(out[0].Row(b), in[0].Row(lo))
	}
	return nil
}

func (k *first) exact(in, out []Mat64) error {
	for b, lo := range k.seq.Offsets[:out[0].Rows] {
		copy(out[0].Row(b), in[0].Row(lo))
	}
	return nil
}

func (k *first) backward(_, _, dout []Mat, din []Grad) error {
	dx, dy := din[0], dout[0]
	return k.each(func(_, b, lo, hi int) {
		dx.put(lo, dy.Row(b))
		if !dx.Add {
			clear(dx.Range(lo+1, hi))
		}
	})
}

func (k *first) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.first(x.Name(in[0]))}, nil
}

func (k *first) picture(s *Sketch, n *Node) drawn {
	x := s.node(n.src.inputs[0])
	e := &equation{s: s}
	return s.named(n, "x at [CLS]", e.lines(n, x.symbol+" at [CLS]"), diagram.Edge{From: x.vertex})
}
