package ops

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"imdbexp/internal/guard"
)

// kernel is the arithmetic of one op, free of graphs. Buffers come from outside;
// out has the rows of its axes. Where the graph is not for training, backward is
// never called.
type kernel interface {
	forward(in, out []Mat) error
	// backward gets the gradient of each result (Data is nil where none
	// arrives) and leaves those of the inputs that are wanted.
	backward(in, out, dout []Mat, din []Grad) error
	// exact is forward in float64, straight from the equation, into results of zeros.
	exact(in, out []Wide) error
	// onnx adds what the op is in ONNX, and returns its results.
	onnx(x *Export, in []*Node) ([]string, error)
}

// result declares one result of an op.
type result struct {
	axis Axis
	cols int
}

// op is one kernel in the graph with its buffers. gorgonia sees it as several
// ops: the forward pass (whose value is the first result), a result for each
// node of a kernel with several, the backward pass, and one more for each
// further gradient. They share this struct.
type op struct {
	g       *Graph
	name    string
	k       kernel
	inputs  []*Node
	results []result
	looks   bool    // its kernel is a looker
	nodes   []*Node // one a result

	in, out, dout []Mat
	din           []Grad
	outBuf, inBuf [][]float32
	outVal, inVal []*tensor.Dense

	back backward
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
	if g.unrun > 0 {
		return o.unrun()
	}
	_, o.looks = k.(looker)
	children := make(G.Nodes, len(inputs))
	for i, n := range inputs {
		for _, m := range inputs[:i] {
			if n == m {
				g.fail("%s: one node given twice", name)
				return failed
			}
		}
		children[i] = n.node
		if n.leaf != nil {
			n.leaf.used = true
			n.leaf.copied = n.leaf.copied || !o.looks
		}
	}
	o.in, o.out, o.dout = make([]Mat, len(inputs)), make([]Mat, len(results)), make([]Mat, len(results))
	o.din, o.inBuf, o.inVal = make([]Grad, len(inputs)), make([][]float32, len(inputs)), make([]*tensor.Dense, len(inputs))
	o.outBuf, o.outVal = make([][]float32, len(results)), make([]*tensor.Dense, len(results))
	first, err := G.ApplyOp(g.adapt(o, forwardPart, 0, len(inputs)), children...)
	if err != nil {
		g.fail("%s: %v", name, err)
		return failed
	}
	for i, r := range results {
		n := &Node{g: g, node: first, axis: r.axis, cols: r.cols, src: o, out: i}
		for _, x := range inputs {
			n.grad = n.grad || x.grad
		}
		if len(results) > 1 {
			if n.node, err = G.ApplyOp(g.adapt(o, resultPart, i, 1), first); err != nil {
				g.fail("%s: %v", name, err)
				return failed
			}
		}
		o.nodes = append(o.nodes, n)
	}
	return o.nodes
}

// unrun returns the results of an op that is there only to be read.
func (o *op) unrun() []*Node {
	for i, r := range o.results {
		o.nodes = append(o.nodes, &Node{g: o.g, axis: r.axis, cols: r.cols, src: o, out: i})
	}
	return o.nodes
}

// forward runs the kernel on the inputs' current values.
func (o *op) forward() error {
	for i, n := range o.inputs {
		if o.in[i] = n.Mat(); o.in[i].IDs != nil && !o.looks {
			o.in[i] = n.leaf.mat
		}
	}
	for i, r := range o.results {
		rows := r.axis.Len()
		o.outBuf[i] = grown(o.outBuf[i], rows*r.cols)
		m := Mat{Rows: rows, Cols: r.cols, Data: o.outBuf[i]}
		o.outVal[i] = header(o.outVal[i], m, o.out[i])
		o.out[i] = m
	}
	if err := o.k.forward(o.in, o.out); err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}

// header returns the tensor around m: the old one where nothing has moved.
func header(old *tensor.Dense, m, was Mat) *tensor.Dense {
	if old != nil && m.Rows == was.Rows && &m.Data[0] == &was.Data[0] {
		return old
	}
	return dense(m)
}

type part int

const (
	forwardPart part = iota
	resultPart
	backwardPart
	gradientPart
)

var partNames = [...]string{"", ".result", ".backward", ".gradient"}

// adapter is what gorgonia sees: one part of an op.
type adapter struct {
	*op
	part  part
	index int // of the result or the input
	arity int
	id    int  // unique: gorgonia merges nodes whose hashes agree
	quiet bool // its gradient joins a later one, so gorgonia must not add it
}

func (g *Graph) adapt(o *op, p part, index, arity int) *adapter {
	g.serial++
	return &adapter{op: o, part: p, index: index, arity: arity, id: g.serial}
}

var matrixType = G.TensorType{Dims: 2, Of: tensor.Float32}

// Arity implements gorgonia.Op.
func (a *adapter) Arity() int { return a.arity }

// Type implements gorgonia.Op: everything is a matrix of float32 but the cost,
// which gorgonia wants as a scalar, and the one that starts its gradient.
func (a *adapter) Type() hm.Type {
	ts := make([]hm.Type, a.arity+1)
	for i := range ts {
		ts[i] = matrixType
	}
	if _, cost := a.k.(*total); cost {
		switch a.part {
		case forwardPart:
			ts[a.arity] = tensor.Float32
		case backwardPart:
			ts[0] = tensor.Float32
		}
	}
	return hm.NewFnType(ts...)
}

// InferShape implements gorgonia.Op; the true number of rows is known only when
// the graph runs.
func (a *adapter) InferShape(...G.DimSizer) (tensor.Shape, error) {
	switch a.part {
	case forwardPart, resultPart:
		if _, cost := a.k.(*total); cost {
			return tensor.ScalarShape(), nil
		}
		return tensor.Shape{1, a.results[a.index].cols}, nil
	default:
		return tensor.Shape{1, a.inputs[a.index].cols}, nil
	}
}

// Do implements gorgonia.Op. It runs in a goroutine of gorgonia's, where a panic
// would end the process.
func (a *adapter) Do(...G.Value) (v G.Value, err error) {
	err = guard.Call(func() (err error) {
		v, err = a.do()
		return err
	})
	if own, caught := err.(*guard.Error); caught { // those of the pool say already where
		err = fmt.Errorf("%s: %w", a, own)
	}
	if err != nil {
		a.g.fault = err
	}
	return v, err
}

func (a *adapter) do() (G.Value, error) {
	switch a.part {
	case forwardPart:
		if err := a.forward(); err != nil {
			return nil, err
		}
		if _, cost := a.k.(*total); cost {
			return G.NewF32(a.out[0].Data[0]), nil
		}
		return a.outVal[0], nil
	case resultPart:
		return a.outVal[a.index], nil
	case backwardPart:
		if err := a.backward(); err != nil {
			return nil, err
		}
	}
	return a.inVal[a.index], nil
}

// DiffWRT implements gorgonia.SDOp.
func (a *adapter) DiffWRT(inputs int) []bool {
	w := make([]bool, inputs)
	for i := range w {
		switch a.part {
		case forwardPart:
			w[i] = a.inputs[i].grad && !a.back.joined[i]
		case resultPart:
			w[i] = a.nodes[a.index].grad && !a.quiet
		}
	}
	return w
}

// ReturnsPtr implements gorgonia.Op.
func (a *adapter) ReturnsPtr() bool { return false }

// CallsExtern implements gorgonia.Op.
func (a *adapter) CallsExtern() bool { return false }

// OverwritesInput implements gorgonia.Op.
func (a *adapter) OverwritesInput() int { return -1 }

// WriteHash implements gorgonia.Op.
func (a *adapter) WriteHash(h hash.Hash) { fmt.Fprintf(h, "%s#%d", a, a.id) }

// Hashcode implements gorgonia.Op.
func (a *adapter) Hashcode() uint32 {
	h := fnv.New32a()
	a.WriteHash(h)
	return h.Sum32()
}

// String implements gorgonia.Op.
func (a *adapter) String() string { return a.name + partNames[a.part] }
