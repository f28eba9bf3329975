package ops

import (
	"fmt"

	"imdbexp/internal/simd"
)

// Average returns the mean of nodes of one shape, (1/K) Σₖ xₖ, element by element, on any axis:
// the output of an ensemble. It sums in the order of the nodes. A picture shows only the network
// of the first node and assumes that the others are built alike. Different shapes are an
// error of the graph.
func Average(nodes ...*Node) *Node {
	first := nodes[0]
	for _, n := range nodes[1:] {
		if n.axis != first.axis || n.cols != first.cols {
			return first.g.fail("average: [%s, %d] and [%s, %d] differ", kind(first.axis), first.cols, kind(n.axis), n.cols)
		}
		if n.shown() != first.shown() {
			n.form().like = first.shown()
		}
	}
	k := &average{g: first.g}
	return first.g.apply("average", k, nodes, result{first.axis, first.cols})[0]
}

type average struct {
	g     *Graph
	share []float32 // the gradient that each node gets
}

func (k *average) forward(in, out []Mat) error {
	return k.g.pool.rowwise(out[0].Rows, func(lo, hi int) {
		y := out[0].Range(lo, hi)
		copy(y, in[0].Range(lo, hi))
		for _, x := range in[1:] {
			simd.Add(y, x.Range(lo, hi))
		}
		simd.Scale(y, 1/float32(len(in)))
	})
}

func (k *average) exact(in, out []Mat64) error {
	for _, x := range in {
		exactAdd(out[0].Data, x.Data)
	}
	for i := range out[0].Data {
		out[0].Data[i] /= float64(len(in))
	}
	return nil
}

func (k *average) backward(in, _, dout []Mat, din []Grad) error {
	k.share = grown(k.share, len(dout[0].Data))
	shares := Mat{Rows: dout[0].Rows, Cols: dout[0].Cols, Data: k.share}
	return k.g.pool.rowwise(shares.Rows, func(lo, hi int) {
		share := shares.Range(lo, hi)
		copy(share, dout[0].Range(lo, hi))
		simd.Scale(share, 1/float32(len(in)))
		for _, d := range din {
			d.putRange(lo, hi, share)
		}
	})
}

func (k *average) onnx(x *Export, in []*Node) ([]string, error) {
	sum := x.Name(in[0])
	for _, n := range in[1:] {
		sum = x.Op("Add", sum, x.Name(n))
	}
	return []string{x.Op("Div", sum, x.number(fmt.Sprintf("average.%d", len(in)), float64(len(in))))}, nil
}

func (k *average) picture(s *Sketch, n *Node) drawn {
	e := &equation{s: s}
	one := e.refer(n.src.inputs[0])
	return s.named(n, one, []string{fmt.Sprintf("mean of the %s of %d networks", one, len(n.src.inputs)), "alike but for their weights"}, e.edges...)
}
