package ops

import (
	"slices"

	"imdbexp/internal/simd"
)

// Add is a + b, element by element, on any axis: a residual connection (He et
// al. 2016).
func Add(a, b *Node) *Node { return combined("add", &add{g: a.g}, a, b) }

// combined adds an op of two nodes of one shape, element by element.
func combined(name string, k kernel, a, b *Node) *Node {
	if a.axis != b.axis || a.cols != b.cols {
		return a.g.fail("%s: [%s, %d] and [%s, %d] differ", name, kind(a.axis), a.cols, kind(b.axis), b.cols)
	}
	return a.g.apply(name, k, []*Node{a, b}, result{a.axis, a.cols})[0]
}

// kind names an axis in messages.
func kind(a Axis) string {
	switch a.(type) {
	case *Seq:
		return "words"
	default:
		return "rows"
	}
}

type add struct {
	g *Graph
}

func (k *add) forward(in, out []Mat) error {
	return k.g.pool.rowwise(out[0].Rows, func(lo, hi int) {
		y := out[0].Range(lo, hi)
		copy(y, in[0].Range(lo, hi))
		simd.Add(y, in[1].Range(lo, hi))
	})
}

func (k *add) exact(in, out []Mat64) error {
	exactAdd(out[0].Data, in[0].Data)
	exactAdd(out[0].Data, in[1].Data)
	return nil
}

func (k *add) backward(_, _, dout []Mat, din []Grad) error {
	return k.g.pool.rowwise(dout[0].Rows, func(lo, hi int) {
		dy := dout[0].Range(lo, hi)
		din[0].putRange(lo, hi, dy)
		din[1].putRange(lo, hi, dy)
	})
}

func (k *add) onnx(x *Export, in []*Node) ([]string, error) {
	return []string{x.Op("Add", x.all(in)...)}, nil
}

func (k *add) term(e *equation, n *Node) string {
	a, b := n.src.inputs[0], n.src.inputs[1]
	text := e.refer(a)
	edges := len(e.edges)
	text += " + " + e.of(b, "linear")
	if e.s.narrow && a.follows(projected(b)) {
		e.edges = e.edges[:edges] // the picture already shows where b comes from
	}
	return text
}

// picture keeps the symbol of the residual stream.
func (k *add) picture(s *Sketch, n *Node) drawn {
	e := &equation{s: s}
	text := k.term(e, n)
	if n.src.inputs[1].follows(n.src.inputs[0].shown()) {
		slices.Reverse(e.edges) // the residual edge comes last
	}
	return s.named(n, s.node(n.src.inputs[0]).symbol, e.lines(n, text), e.edges...)
}
