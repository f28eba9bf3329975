package ops

import "imdbexp/internal/simd"

// AddReview adds to each word's row the row of its review:
//
//	yᵢ = xᵢ + s_b(i)
//
// x is [N, k], s [B, k], the result [N, k]: the query's part of Bahdanau's score
// (Bahdanau et al. 2015, A.1.2).
func AddReview(x, s *Node) *Node {
	seq, ok := x.axis.(*Seq)
	if !ok || s.axis != seq.Reviews() || s.cols != x.cols {
		return x.g.fail("add review: x [·, %d] needs one row a word, s [·, %d] one a review", x.cols, s.cols)
	}
	k := &addReview{onWords{x.g, seq}}
	return x.g.apply("add review", k, []*Node{x, s}, result{seq, x.cols})[0]
}

type addReview struct{ onWords }

func (k *addReview) forward(in, out []Mat) error {
	x, s, y := in[0], in[1], out[0]
	return k.each(func(_, b, lo, hi int) {
		rows := y.Range(lo, hi)
		copy(rows, x.Range(lo, hi))
		simd.AddBias(rows, hi-lo, y.Cols, y.Cols, s.Row(b))
	})
}

func (k *addReview) exact(in, out []Mat64) error {
	k.seq.eachRow(func(b, i int) {
		exactAdd(out[0].Row(i), in[0].Row(i))
		exactAdd(out[0].Row(i), in[1].Row(b))
	})
	return nil
}

func (k *addReview) backward(_, _, dout []Mat, din []Grad) error {
	dx, ds, dy := din[0], din[1], dout[0]
	return k.each(func(_, b, lo, hi int) {
		dx.putRange(lo, hi, dy.Range(lo, hi))
		if ds.Wanted() {
			simd.ColumnSums(ds.Row(b), dy.Range(lo, hi), hi-lo, dy.Cols, dy.Cols, ds.Add)
		}
	})
}

func (k *addReview) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.Op("Add", x.Name(in[0]), x.expand(x.Name(in[1]), 1))}, nil
}

func (k *addReview) term(e *equation, n *Node) string {
	return e.of(n.src.inputs[0], "linear") + " + " + e.of(n.src.inputs[1], "linear")
}
