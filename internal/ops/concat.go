package ops

import (
	"strings"

	"imdbexp/internal/diagram"
)

// Concat joins the columns of a and b: [·, p] and [·, q] give [·, p+q].
func Concat(a, b *Node) *Node {
	if a.axis != b.axis {
		return a.g.fail("concat: the rows differ")
	}
	return a.g.apply("concat", &concat{a.g}, []*Node{a, b}, result{a.axis, a.cols + b.cols})[0]
}

type concat struct{ g *Graph }

func (k *concat) forward(in, out []Mat) error {
	return k.g.pool.rowwise(out[0].Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := out[0].Row(i)
			copy(row[copy(row, in[0].Row(i)):], in[1].Row(i))
		}
	})
}

func (k *concat) exact(in, out []Mat64) error {
	for i := range out[0].Rows {
		row := out[0].Row(i)
		copy(row[copy(row, in[0].Row(i)):], in[1].Row(i))
	}
	return nil
}

func (k *concat) backward(in, _, dout []Mat, din []Grad) error {
	return k.g.pool.rowwise(dout[0].Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dout[0].Row(i)
			din[0].put(i, row[:in[0].Cols])
			din[1].put(i, row[in[0].Cols:])
		}
	})
}

func (k *concat) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.concat(-1, x.all(in)...)}, nil
}

func (k *concat) term(e *equation, n *Node) string {
	parts := make([]string, len(n.src.inputs))
	for i, x := range n.src.inputs {
		parts[i] = e.of(x, "concat", "max")
		if inner, ok := strings.CutPrefix(parts[i], "["); ok && x.Op() == "concat" {
			parts[i] = strings.TrimSuffix(inner, "]") // one bracket for all
		}
	}
	return "[" + strings.Join(parts, "; ") + "]"
}

// picture joins the two directions of a recurrent layer.
func (k *concat) picture(s *Sketch, n *Node) drawn {
	if !directions(n) {
		e := &equation{s: s}
		text := k.term(e, n)
		return s.named(n, "…", e.lines(n, text), e.edges...)
	}
	a, b := n.src.inputs[0].shown(), n.src.inputs[1].shown()
	both := []diagram.Edge{{From: s.layer(a, b)}, {From: s.layer(b, a)}}
	if a.out == 0 && s.listing {
		return drawn{s.box(diagram.Op("hᵢ ← [hᵢ; h'ᵢ]"), both...), "h"}
	}
	if a.out == 0 {
		return drawn{s.box(diagram.Val(s.statesOf()), both...), "h"}
	}
	for m := range s.walked {
		if m.src != nil && m.src.name == n.src.name && m.src.inputs[0].shown().src == a.src && m.src.inputs[0].shown().out == 0 {
			return s.lastState(n, diagram.Edge{From: s.node(m).vertex}) // their states are already joined
		}
	}
	return s.lastState(n, both...)
}

// directions reports whether a node joins the results of the two directions of a recurrent
// layer.
func directions(n *Node) bool {
	if _, ok := n.src.k.(*concat); !ok {
		return false
	}
	return recurrent(n.src.inputs[0].shown()) && recurrent(n.src.inputs[1].shown())
}
