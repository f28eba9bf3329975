package ops

import (
	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// Expand repeats rows until there is one for each row of an axis: for each word
// the row of its review, or one row [1, k] for all. s is [B, k] or [1, k].
func Expand(s *Node, axis Axis) *Node {
	k := &spread{g: s.g, axis: axis}
	if seq, ok := axis.(*Seq); ok {
		k.seq = seq
	}
	switch weights, ok := s.axis.(*fixed); {
	case k.seq != nil && s.axis == k.seq.Reviews():
	case ok && weights.Len() == 1:
		k.shared = true
	default:
		return s.g.fail("spread: needs one row, or one for each review")
	}
	return s.g.apply("spread", k, []*Node{s}, result{axis, s.cols})[0]
}

type spread struct {
	g      *Graph
	axis   Axis
	seq    *Seq // nil if the axis has one row a review
	shared bool
	parts  partials
}

func (k *spread) forward(in, out []Mat) error {
	if k.shared {
		return k.g.pool.rowwise(out[0].Rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(out[0].Row(i), in[0].Data)
			}
		})
	}
	return k.g.pool.reviews(k.seq, func(_, b, lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(out[0].Row(i), in[0].Row(b))
		}
	})
}

func (k *spread) exact(in, out []Mat64) error {
	if !k.shared {
		k.seq.eachRow(func(b, i int) { copy(out[0].Row(i), in[0].Row(b)) })
		return nil
	}
	for i := range out[0].Rows {
		copy(out[0].Row(i), in[0].Data)
	}
	return nil
}

func (k *spread) backward(in, _, dout []Mat, din []Grad) error {
	cuts, dy, ds := k.axis.cuts(), dout[0], din[0]
	if k.shared {
		k.parts.prepare(len(cuts)-1, dy.Cols)
		err := k.g.pool.For(len(cuts)-1, func(shard int) {
			lo, hi := cuts[shard], cuts[shard+1]
			simd.ColumnSums(k.parts.bufs[shard], dy.Range(lo, hi), hi-lo, dy.Cols, dy.Cols, false)
		})
		if err == nil {
			ds.putAll(k.parts.total())
		}
		return err
	}
	return k.g.pool.reviews(k.seq, func(_, b, lo, hi int) {
		simd.ColumnSums(ds.Row(b), dy.Range(lo, hi), hi-lo, dy.Cols, dy.Cols, ds.Add)
	})
}

func (k *spread) onnx(x *Export, in []*Node) ([]string, error) {
	name := x.Name(in[0])
	if k.seq == nil {
		return []string{x.repeat(name, 2)}, nil
	}
	each := x.expand(name, 1) // [1 or B, 1, d]
	one := x.Constant("ones", []int64{1}, 1)
	return []string{x.Op("Expand", each, x.concat(0, x.batch, x.expand(x.places(k.seq).longest, 0), one))}, nil
}

func (k *spread) picture(s *Sketch, n *Node) drawn {
	d := s.node(n.src.inputs[0])
	if k.shared && s.listing {
		d.vertex.Kind, d.vertex.Lines = diagram.Operation, []string{s.symbol(n, d.symbol) + " = a learned vector"}
	} else if k.shared { // a learned row
		d.vertex.Lines = []string{"learned " + s.symbol(n, d.symbol)}
	}
	d.vertex.Name = s.symbol(n, d.symbol)
	return drawn{d.vertex, s.symbol(n, d.symbol)}
}
