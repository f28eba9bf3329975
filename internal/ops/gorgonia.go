//go:build !js

package ops

import (
	"errors"
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// What gorgonia keeps for a graph, a node, a leaf and an op.
type (
	engine struct {
		eg      *G.ExprGraph
		partial map[*Node]*G.Node // during differentiation, the gradient of a node so far
		serial  int
	}
	vertex   struct{ node *G.Node }
	binding  struct{ value *tensor.Dense }
	attached struct {
		outVal, inVal []*tensor.Dense
		waited        int       // during differentiation, results the cost depends on whose gradient is missing
		grads         []*G.Node // gradient of each result
	}
)

func newEngine() engine { return engine{eg: G.NewGraph()} }

// input adds a leaf.
func (e *engine) input(name string, cols int) vertex {
	e.serial++
	// The rows given here are only for gorgonia's shape inference.
	return vertex{G.NewMatrix(e.eg, tensor.Float32, G.WithShape(1, cols), G.WithName(fmt.Sprintf("%s#%d", name, e.serial)))}
}

// bind sets the value of a leaf in gorgonia.
func (n *Node) bind(m Mat) {
	l := n.leaf
	if l.value == nil || l.mat.Rows != m.Rows || &l.mat.Data[0] != &m.Data[0] {
		l.value = dense(m)
		G.WithValue(l.value)(n.node) // Let refuses another number of rows
	}
}

// bindNothing sets a placeholder value, because gorgonia needs a value for every leaf,
// even if no op reads it.
func (n *Node) bindNothing() {
	if n.leaf.value == nil {
		n.Set(Mat{Rows: 1, Cols: n.cols, Data: make([]float32, n.cols)})
	}
}

// attach adds an op. gorgonia sees it as several: the forward pass (whose value is
// the first result), a result for each node of a kernel with several, the backward
// pass, and one more for each further gradient. They share the op's struct.
func (o *op) attach() ([]vertex, error) {
	children := make(G.Nodes, len(o.inputs))
	for i, n := range o.inputs {
		children[i] = n.node
	}
	o.inVal, o.outVal = make([]*tensor.Dense, len(o.inputs)), make([]*tensor.Dense, len(o.results))
	first, err := G.ApplyOp(o.g.adapt(o, forwardPart, 0, len(o.inputs)), children...)
	if err != nil {
		return nil, err
	}
	out := make([]vertex, len(o.results))
	for i := range out {
		out[i].node = first
		if len(out) > 1 {
			if out[i].node, err = G.ApplyOp(o.g.adapt(o, resultPart, i, 1), first); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// wrap sets the tensor around result i; m is its new matrix, o.out[i] still the old one.
func (o *op) wrap(i int, m Mat) { o.outVal[i] = header(o.outVal[i], m, o.out[i]) }

// wrapGrad sets the tensor around the gradient of input i; was is its previous matrix.
func (o *op) wrapGrad(i int, was Mat) { o.inVal[i] = header(o.inVal[i], o.din[i].Mat, was) }

// compiled is a graph that gorgonia has compiled.
type compiled struct{ vm G.VM }

func (g *Graph) compile() (p program, err error) {
	for _, l := range g.leaves {
		if !l.Used() { // gorgonia loads it anyway
			l.bindNothing()
		}
	}
	defer func() { // gorgonia panics if its compiler fails
		if r := recover(); r != nil {
			err = fmt.Errorf("compiling the graph: %v", r)
		}
	}()
	return compiled{G.NewTapeMachine(g.eg)}, nil
}

func (p compiled) run(g *Graph) error {
	p.vm.Reset()
	err := p.vm.RunAll()
	if g.fault != nil { // the same error without gorgonia's notes on its program
		return g.fault
	}
	return errors.Join(err, g.finish())
}

func (p compiled) close() error { return p.vm.Close() }

func dense(m Mat) *tensor.Dense {
	return tensor.New(tensor.WithShape(m.Rows, m.Cols), tensor.WithBacking(m.Data))
}

// header returns a tensor around m: the old one if m has not moved.
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

// adapter is an op of gorgonia: one part of an op of ours.
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

// Type implements gorgonia.Op: all values are matrices of float32, except for the cost
// and the start of its gradient, which gorgonia requires to be scalars.
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
	err = a.guarded(partNames[a.part], func() (err error) {
		v, err = a.do()
		return err
	})
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
			w[i] = a.inputs[i].grad && (a.back.joined == nil || !a.back.joined[i])
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
