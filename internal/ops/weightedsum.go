package ops

import (
	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// WeightedSum adds up the rows of each review by their weights:
//
//	t̂ = Σᵢ αᵢ vᵢ
//
// The weights are [N, 1], the values [N, d], the result [B, d].
func WeightedSum(weights, values *Node) *Node {
	s, ok := values.axis.(*Seq)
	if !ok || weights.axis != values.axis || weights.cols != 1 {
		return values.g.fail("weighted sum: weights and values differ in their rows")
	}
	k := &weightedSum{onWords: onWords{values.g, s}}
	if o := weights.src; o != nil && values.g.symbolic == 0 {
		if a, ok := o.k.(*attend); ok && weights.out == 0 && o.inputs[1] == values && a.fused == nil {
			a.fused, k.attention = k, a
		}
	}
	return values.g.apply("weighted sum", k, []*Node{weights, values}, result{s.Reviews(), values.cols})[0]
}

// weightedSum computes the sums itself, unless the weights are the attention over the same
// words. Then the attention op computes the sums of a review, and backwards the gradient of its
// weights, while it reads the review's rows: they fit the second-level cache, all rows of a batch do not.
type weightedSum struct {
	onWords
	attention *attend // nil if the weights come from another op
	// sums [B, d] were computed by the attention op; nil after their first use, so that
	// they are computed again if the weights are changed and only later ops run again.
	sums, buffer []float32
	words        wordRows
}

// prepare allocates sums of width d.
func (k *weightedSum) prepare(d int) {
	if k != nil {
		k.sums = grown(k.buffer, k.seq.reviews.Len()*d)
	}
}

// sumReview computes the sum of a review from its weights and its rows.
func (k *weightedSum) sumReview(review int, weights, rows []float32) {
	if k != nil {
		d := len(rows) / len(weights)
		simd.NN(1, d, len(weights), weights, len(weights), rows, d, k.sums[review*d:], d, false)
	}
}

// forget drops the sums and keeps their buffer.
func (k *weightedSum) forget() {
	if k.sums != nil {
		k.sums, k.buffer = nil, k.sums
	}
}

func (k *weightedSum) forward(in, out []Mat) error {
	a, v, y := in[0], in[1], out[0]
	if k.sums != nil {
		copy(y.Data, k.sums)
		k.forget()
		return nil
	}
	k.words.prepare(k.seq, v, false)
	return k.each(func(shard, b, lo, hi int) {
		simd.NN(1, v.Cols, hi-lo, a.Data[lo:hi], hi-lo, k.words.read(v, shard, lo, hi), v.Cols, y.Row(b), v.Cols, false)
	})
}

func (k *weightedSum) exact(in, out []Mat64) error {
	for b := range out[0].Rows {
		exactSum(out[0].Row(b), k.seq.of(in[0], b).Data, k.seq.of(in[1], b))
	}
	return nil
}

// backward computes ∂αᵢ = ∂t̂·vᵢ and ∂vᵢ = αᵢ ∂t̂.
func (k *weightedSum) backward(in, out, dout []Mat, din []Grad) error {
	a, v, dy := in[0], in[1], dout[0]
	da, dv := din[0], din[1]
	if k.attention != nil {
		v = k.attention.words.kept(v)
		if da.Wanted() && !da.Add {
			din[0].deferred, da = &deferredGrad{seq: k.seq, rows: dy, values: v}, Grad{}
		}
	}
	if dv.Wanted() && !dv.Add {
		din[1].deferred, dv = &deferredGrad{seq: k.seq, rows: dy, coef: a.Data}, Grad{}
	}
	if !da.Wanted() && !dv.Wanted() {
		return nil
	}
	return k.each(func(_, b, lo, hi int) {
		n, d := hi-lo, v.Cols
		if da.Wanted() && da.Add {
			row := make([]float32, n)
			simd.DotRows(row, v.Range(lo, hi), d, d, dy.Row(b))
			simd.Add(da.Data[lo:hi], row)
		} else if da.Wanted() {
			simd.DotRows(da.Data[lo:hi], v.Range(lo, hi), d, d, dy.Row(b))
		}
		if dv.Wanted() {
			simd.NN(n, d, 1, a.Data[lo:hi], 1, dy.Row(b), d, dv.Range(lo, hi), d, dv.Add)
		}
	})
}

func (k *weightedSum) onnx(x *Export, in []*Node) ([]string, error) {
	row := x.transpose(x.Name(in[0]), 0, 2, 1) // [B, 1, n]
	return []string{x.Op("Squeeze", x.Op("MatMul", row, x.Name(in[1])), x.axis(1))}, nil
}

func (k *weightedSum) picture(s *Sketch, n *Node) drawn {
	in := n.src.inputs
	s.call(in[1], "v(·)")
	a, v := s.node(in[0]), s.node(in[1])
	value := s.each(in[1], v.symbol)
	if n.symbol == "" {
		n.symbol = "c"
	}
	e := &equation{s: s}
	lines := e.lines(n, "Σᵢ "+a.symbol+"ᵢ "+value)
	return s.named(n, n.symbol, lines, diagram.Edge{From: a.vertex}, diagram.Edge{From: v.vertex, Label: "values " + value})
}
