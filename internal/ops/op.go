package ops

import "fmt"

// kernel is the arithmetic of one op, independent of graphs. The caller provides the buffers;
// out has the rows of its axes. backward is only called in graphs for
// training.
type kernel interface {
	forward(in, out []Mat) error
	// backward gets the gradient of each result (Data is nil if it has
	// none) and computes the needed gradients of the inputs.
	backward(in, out, dout []Mat, din []Grad) error
	// exact is forward in float64, straight from the equation, into results of zeros.
	exact(in, out []Mat64) error
	// onnx adds the op to an ONNX export and returns its results.
	onnx(x *Export, in []*Node) ([]string, error)
}

// result declares one result of an op.
type result struct {
	axis Axis
	cols int
}

// op is one kernel in the graph with its buffers.
type op struct {
	attached
	g       *Graph
	name    string
	k       kernel
	inputs  []*Node
	results []result
	access  access  // how its kernel reads the rows of a lookup
	nodes   []*Node // one a result

	in, out, dout []Mat
	din           []Grad
	back          backward
	outBuf, inBuf [][]float32
}

// apply adds an op and returns a node for each of its results.
func (g *Graph) apply(name string, k kernel, inputs []*Node, results ...result) []*Node {
	failed := make([]*Node, len(results))
	for i := range failed {
		failed[i] = &Node{g: g, axis: results[i].axis, cols: results[i].cols}
	}
	if g.err != nil {
		return failed
	}
	o := &op{g: g, name: name, k: k, inputs: inputs, results: results}
	if g.symbolic > 0 {
		return o.symbolic()
	}
	o.access = copied
	if l, ok := k.(lookupReader); ok {
		o.access = l.access()
	}
	for i, n := range inputs {
		for _, m := range inputs[:i] {
			if n == m {
				g.fail("%s: one node given twice", name)
				return failed
			}
		}
		if n.leaf != nil {
			n.leaf.used = true
			n.leaf.read |= o.access
		}
	}
	o.in, o.out, o.dout = make([]Mat, len(inputs)), make([]Mat, len(results)), make([]Mat, len(results))
	o.din, o.inBuf, o.outBuf = make([]Grad, len(inputs)), make([][]float32, len(inputs)), make([][]float32, len(results))
	vertices, err := o.attach()
	if err != nil {
		g.fail("%s: %v", name, err)
		return failed
	}
	g.ops = append(g.ops, o)
	for i, r := range results {
		n := &Node{vertex: vertices[i], g: g, axis: r.axis, cols: r.cols, src: o, out: i}
		for _, x := range inputs {
			n.grad = n.grad || x.grad
		}
		o.nodes = append(o.nodes, n)
	}
	return o.nodes
}

// symbolic returns the results of an op that is only for pictures.
func (o *op) symbolic() []*Node {
	for i, r := range o.results {
		o.nodes = append(o.nodes, &Node{g: o.g, axis: r.axis, cols: r.cols, src: o, out: i})
	}
	return o.nodes
}

// forward runs the kernel on the inputs' current values.
func (o *op) forward() error {
	for i, n := range o.inputs {
		if o.in[i] = n.Mat(); o.in[i].IDs != nil && n.leaf.copied() && o.access&(copied|byReview) != 0 {
			o.in[i] = n.leaf.mat
		}
	}
	for i, r := range o.results {
		rows := r.axis.Len()
		o.outBuf[i] = grown(o.outBuf[i], rows*r.cols)
		m := Mat{Rows: rows, Cols: r.cols, Data: o.outBuf[i]}
		o.wrap(i, m)
		o.out[i] = m
	}
	if err := o.k.forward(o.in, o.out); err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}
