package ops

import (
	"slices"

	"imdbexp/internal/diagram"
	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// Mean averages the rows of each review:
//
//	x̄ = (1/n) Σᵢ xᵢ
//
// x is [N, d], the result [B, d].
func Mean(x *Node) *Node {
	k := &mean{x.words("mean")}
	return x.g.apply("mean", k, []*Node{x}, result{k.seq.reviews, x.cols})[0]
}

type mean struct{ onWords }

func (k *mean) forward(in, out []Mat) error {
	x, y := in[0], out[0]
	return k.each(func(_, b, lo, hi int) {
		MeanRow(y.Row(b), x.Range(lo, hi))
	})
}

func (k *mean) exact(in, out []Mat64) error {
	for b := range out[0].Rows {
		x := k.seq.of(in[0], b)
		exactSum(out[0].Row(b), slices.Repeat([]float64{1 / float64(x.Rows)}, x.Rows), x)
	}
	return nil
}

// MeanRow sets dst to the mean of the rows of x, each as wide as dst.
func MeanRow(dst, x []float32) {
	d := len(dst)
	n := len(x) / d
	simd.ColumnSums(dst, x, n, d, d, false)
	simd.Scale(dst, 1/float32(n))
}

func (k *mean) backward(in, out, dout []Mat, din []Grad) error {
	dx, dy := din[0], dout[0]
	return k.g.pool.For(k.seq.shards(), func(shard int) {
		row := make([]float32, dy.Cols)
		k.seq.each(shard, func(b, lo, hi int) {
			copy(row, dy.Row(b))
			simd.Scale(row, 1/float32(hi-lo))
			for i := lo; i < hi; i++ {
				dx.put(i, row)
			}
		})
	})
}

func (k *mean) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.meanOfRows(x.Name(in[0]), k.seq)}, nil
}

// meanOfRows averages the rows of each review: [batch, words, d] to [batch, d].
func (x *Export) meanOfRows(name string, s *Seq) string {
	p := x.places(s)
	return x.Op("Div", x.sum(x.Op("Mul", name, p.present), 1, false), x.cast(p.lengths, onnx.Float))
}

func (k *mean) picture(s *Sketch, n *Node) drawn {
	x := s.node(n.src.inputs[0])
	sum := "(1/n) Σᵢ " + x.symbol + "ᵢ"
	lines := []string{n.symbol + " = " + sum}
	switch {
	case s.listing:
		lines[0] = s.symbol(n, "mean") + " = " + sum
	case n.symbol == "":
		of := map[string]string{"x": "words", "h": "states"}[x.symbol]
		lines = []string{"mean of the " + of}
		if s.narrow {
			lines = []string{"mean of", "the " + of}
		}
	case n.symbol == "s": // next to the keys, where space is short
		lines = []string{"s = mean", "of all " + x.symbol + "ᵢ"}
	}
	return s.named(n, "mean", lines, diagram.Edge{From: x.vertex})
}
