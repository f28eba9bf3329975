package ops

import (
	"math"
	"strings"

	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// Max takes the maximum of each column over the rows of each review (max over time of
// Collobert et al. 2011, section 3.3.2):
//
//	yⱼ = maxᵢ xᵢⱼ
//
// x is [N, d], the result [B, d]. Among equal maxima the first one gets the gradient.
func Max(x *Node) *Node {
	k := &maximum{x.words("max")}
	return x.g.apply("max", k, []*Node{x}, result{k.seq.reviews, x.cols})[0]
}

type maximum struct{ onWords }

func (k *maximum) forward(in, out []Mat) error {
	x, y := in[0], out[0]
	return k.each(func(_, b, lo, hi int) {
		copy(y.Row(b), x.Row(lo))
		simd.ColumnMax(y.Row(b), x.Range(lo+1, hi), hi-lo-1, x.Cols, x.Cols)
	})
}

func (k *maximum) exact(in, out []Mat64) error {
	for b := range out[0].Rows {
		x, y := k.seq.of(in[0], b), out[0].Row(b)
		copy(y, x.Row(0))
		for i := range x.Rows {
			for j, v := range x.Row(i) {
				y[j] = math.Max(y[j], v)
			}
		}
	}
	return nil
}

// backward searches for the maxima again, which costs a comparison an element and no memory.
func (k *maximum) backward(in, out, dout []Mat, din []Grad) error {
	x, dx := in[0], din[0]
	return k.g.pool.For(k.seq.shards(), func(shard int) {
		want := make([]float32, x.Cols)
		k.seq.each(shard, func(b, lo, hi int) {
			if !dx.Add {
				clear(dx.Range(lo, hi))
			}
			copy(want, out[0].Row(b))
			dy, left := dout[0].Row(b), len(want)
			for i := lo; i < hi && left > 0; i++ {
				row := x.Row(i)[:len(want)]
				for j, v := range want {
					if row[j] == v {
						dx.Row(i)[j] += dy[j]
						want[j] = found
						left--
					}
				}
			}
		})
	})
}

// found replaces a maximum that is found: NaN equals no number.
var found = float32(math.NaN())

func (k *maximum) onnx(x *Export, in []*Node) ([]string, error) {
	masked := x.onlyIn(x.expand(x.places(k.seq).mask, 2), x.Name(in[0])) // [batch, words, d]
	return []string{x.With("ReduceMax", []onnx.Attribute{{Name: "axes", Value: []int64{1}}, {Name: "keepdims", Value: int64(0)}}, masked)}, nil
}

func (k *maximum) term(e *equation, n *Node) string {
	return "maxᵢ " + strings.TrimSuffix(e.refer(n.src.inputs[0]), "ᵢ") + "ᵢ"
}
