package ops

import "imdbexp/internal/diagram"

// JoinSinusoid appends the encoding of each word's position to the word's columns, where
// Sinusoid adds it:
//
//	yᵢ = [xᵢ; PE[start+i]]
//
// x is [N, d] on any token axis, the encoding p wide, the result [N, d+p].
func JoinSinusoid(x *Node, p int, base float64, layout PositionLayout) *Node {
	k := &joinSinusoid{sinusoid: sinusoid{onWords: x.words("joined sinusoid"), base: base, layout: layout}, p: p}
	if base <= 1 || p < 1 {
		return x.g.fail("joined sinusoid: a base of %v and a width of %d, but they must be above 1 and 0", base, p)
	}
	return x.g.apply("joined sinusoid", k, []*Node{x}, result{k.seq, x.cols + p})[0]
}

type joinSinusoid struct {
	sinusoid // whose table is [longest so far, p]
	p        int
}

func (k *joinSinusoid) forward(in, out []Mat) error {
	if err := k.grow(k.seq.start+k.seq.longest, k.p); err != nil {
		return err
	}
	return k.each(func(_, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := out[0].Row(i)
			copy(row[copy(row, in[0].Row(i)):], k.table[(k.seq.start+i-lo)*k.p:][:k.p])
		}
	})
}

func (k *joinSinusoid) exact(in, out []Mat64) error {
	d := in[0].Cols
	return k.encodings(func(i, pos int, waves []Wave) {
		y := out[0].Row(i)
		copy(y, in[0].Row(i))
		exactPosition(y[d:], pos, waves)
	}, k.p)
}

func (k *joinSinusoid) backward(in, _, dout []Mat, din []Grad) error {
	return k.g.pool.rowwise(dout[0].Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			din[0].put(i, dout[0].Row(i)[:in[0].Cols])
		}
	})
}

func (k *joinSinusoid) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.concat(-1, x.Name(in[0]), k.exported(x, k.p))}, nil
}

func (k *joinSinusoid) picture(s *Sketch, n *Node) drawn {
	x := s.node(n.src.inputs[0])
	return s.named(n, x.symbol, []string{"[" + s.each(n.src.inputs[0], x.symbol) + "; PE(i)]", k.layout.describe()}, diagram.Edge{From: x.vertex})
}
