package ops

import "imdbexp/internal/diagram"

// Pad appends rows of zeros to each review up to the longest one of the batch:
//
//	y = [x₁, …, xₙ, 0, …, 0]
//
// x is [N, d], the result [B·max n, d] on x's Padded axis, where the zeros
// are words like any other. No op needs padding: Pad only reproduces the published
// TME 10 code.
func Pad(x *Node) *Node {
	k := &pad{onWords: x.words("pad")}
	if k.to = k.seq.Padded(); k.to == k.seq {
		return x
	}
	return x.g.apply("pad", k, []*Node{x}, result{k.to, x.cols})[0]
}

type pad struct {
	onWords
	to *Seq
}

func (k *pad) forward(in, out []Mat) error {
	x, y := in[0], out[0]
	return k.g.pool.reviews(k.to, func(_, b, lo, hi int) {
		row := y.Range(lo, hi)
		clear(row[copy(row, x.Range(k.seq.Offsets[b], k.seq.Offsets[b+1])):])
	})
}

func (k *pad) exact(in, out []Mat64) error {
	for b := range k.seq.reviews.Len() {
		copy(k.to.of(out[0], b).Data, k.seq.of(in[0], b).Data)
	}
	return nil
}

func (k *pad) backward(_, _, dout []Mat, din []Grad) error {
	dx, dy := din[0], dout[0]
	return k.g.pool.reviews(k.seq, func(_, b, lo, hi int) {
		start := k.to.Offsets[b]
		dx.putRange(lo, hi, dy.Range(start, start+hi-lo))
	})
}

func (k *pad) onnx(*Export, []*Node) ([]string, error) { return nil, errDepends }

func (k *pad) picture(s *Sketch, n *Node) drawn {
	x := s.node(n.src.inputs[0])
	if s.listing {
		all := x.symbol + "₁ … " + x.symbol + "ₙ"
		return drawn{s.box(diagram.Op(all + " ← " + all + " and zero vectors up to the longest review of the batch" + slip(n))), x.symbol}
	}
	v := s.box(diagram.Op("zero vectors up to the longest", "review of the batch"+slip(n)), diagram.Edge{From: x.vertex})
	return drawn{v, x.symbol}
}
