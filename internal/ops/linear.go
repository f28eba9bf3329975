package ops

import (
	"fmt"

	"imdbexp/internal/simd"
)

// Linear maps every row:
//
//	y = x·W + b
//
// x is [rows, in] on any axis, W [in, out], b [1, out] or nil for none.
func Linear(x, w, b *Node) *Node {
	if x.cols != w.axis.Len() || b != nil && b.cols != w.cols {
		return x.g.fail("linear: x is [·, %d], W [%d, %d]", x.cols, w.axis.Len(), w.cols)
	}
	k := &linear{g: x.g, axis: x.axis}
	in := []*Node{x, w}
	if b != nil {
		in = append(in, b)
	}
	return x.g.apply("linear", k, in, result{x.axis, w.cols})[0]
}

type linear struct {
	g      *Graph
	axis   Axis
	dw, db partials
}

func (k *linear) forward(in, out []Mat) error {
	x, w, y := in[0], in[1], out[0]
	return k.g.pool.rowwise(x.Rows, func(lo, hi int) {
		simd.NN(hi-lo, w.Cols, x.Cols, x.Range(lo, hi), x.Cols, w.Data, w.Cols, y.Range(lo, hi), y.Cols, false)
		if len(in) == 3 {
			simd.AddBias(y.Range(lo, hi), hi-lo, y.Cols, y.Cols, in[2].Data)
		}
	})
}

func (k *linear) exact(in, out []Mat64) error {
	var bias []float64
	if len(in) == 3 {
		bias = in[2].Data
	}
	exactLinear(out[0], in[0], in[1], bias)
	return nil
}

func (k *linear) backward(in, out, dout []Mat, din []Grad) error {
	x, w, dy := in[0], in[1], dout[0]
	cuts := k.axis.cuts()
	shards := len(cuts) - 1
	bias := len(in) == 3 && din[2].Wanted()
	if din[1].Wanted() {
		k.dw.prepare(shards, len(w.Data))
	}
	if bias {
		k.db.prepare(shards, dy.Cols)
	}
	// The shards' sums start first because they take longest.
	dx, cut := din[0], pieces{}
	if dx.Wanted() {
		cut = piecesOf(x.Rows)
	}
	if !din[1].Wanted() && !bias {
		shards = 0
	}
	err := k.g.pool.For(shards+cut.n, func(i int) {
		if i >= shards {
			lo, hi := cut.of(i - shards)
			simd.NT(hi-lo, x.Cols, w.Cols, dy.Range(lo, hi), dy.Cols, w.Data, w.Cols, dx.Range(lo, hi), x.Cols, dx.Add)
			return
		}
		shard, lo, hi := i, cuts[i], cuts[i+1]
		n, d := hi-lo, dy.Range(lo, hi)
		if din[1].Wanted() {
			simd.TN(x.Cols, w.Cols, n, x.Range(lo, hi), x.Cols, d, dy.Cols, k.dw.bufs[shard], w.Cols, false)
		}
		if bias {
			simd.ColumnSums(k.db.bufs[shard], d, n, dy.Cols, dy.Cols, false)
		}
	})
	if din[1].Wanted() {
		din[1].putAll(k.dw.total())
	}
	if bias {
		din[2].putAll(k.db.total())
	}
	return err
}

func (k *linear) onnx(x *Export, in []*Node) ([]string, error) {
	y := x.Op("MatMul", x.Name(in[0]), x.Name(in[1]))
	if len(in) == 3 {
		y = x.Op("Add", y, x.row(in[2]))
	}
	return []string{y}, nil
}

func (k *linear) term(e *equation, n *Node) string {
	in := n.src.inputs
	w := e.s.symbol(in[1], "W")
	text := w + "·" + e.of(in[0], "concat")
	if heads, ok := e.s.heads[in[0].shown()]; ok && w == "O" { // the concatenated heads times their matrix
		text = heads + "·" + w
		e.notes = append(e.notes, e.s.notes[in[0].shown().src.k]...)
	}
	if len(in) == 3 {
		e.bias = e.s.symbol(in[2], "b")
	}
	if _, words := n.axis.(*Seq); words && n.cols < planned && n.cols != in[0].cols && functions[in[0].shown().Op()] == "" {
		note := fmt.Sprintf("%d wide", n.cols)
		if e.s.listing {
			note = w + ": " + note
		}
		e.notes = append(e.notes, note)
	}
	return text
}

func (k *linear) picture(s *Sketch, n *Node) drawn {
	e := s.defining(n)
	text := k.term(e, n)
	in := n.src.inputs[0].shown()
	symbol := s.node(in).symbol
	if _, ok := s.heads[in]; !ok && s.inside {
		symbol = "…"
	}
	return s.named(n, symbol, e.lines(n, text), e.edges...)
}

// planned is a width that no setting has. In a plan it represents the width of the word
// vectors, which depends on the data.
const planned = 5040
