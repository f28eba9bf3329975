package ops

import (
	"fmt"
	"slices"

	"imdbexp/internal/guard"
)

// tape is the state for building the backward pass of a graph, op by op from the cost back.
//
// If several ops read one node, each adds to the buffer that the previous one filled, so
// the sum is in the order of the backward pass.
type tape struct {
	cost    *Node                // nil if the graph has no backward pass
	readers map[*Node]int        // ops between the node and the cost that have not passed yet
	partial map[*Node]gradSource // the gradient so far
	whole   map[*Node]gradSource
}

// gradSource names the buffer din[input] of an op.
type gradSource struct {
	op    *op
	input int
}

// backward names the buffers that the backward pass of an op reads.
type backward struct {
	from   []gradSource // the op that filled the gradient of each input before; empty if this op is first
	dout   []gradSource // the op that holds the gradient of each result; empty for the cost and for unused results
	joined []bool       // inputs whose gradient a later op of the pass adds to
}

// Grad adds the backward pass of cost to the graph and returns, for each of the
// leaves, the function that gives its gradient after a run.
func (g *Graph) Grad(cost *Node, leaves ...*Node) ([]func() Mat, error) {
	if g.err != nil {
		return nil, g.err
	}
	before := g.trace(cost)
	for _, l := range leaves {
		if g.tape.readers[l] == 0 {
			return nil, fmt.Errorf("the cost does not depend on %s", l.leaf.name)
		}
	}
	if err := g.derive(cost, leaves, before); err != nil {
		return nil, err
	}
	out := make([]func() Mat, len(leaves))
	for i, l := range leaves {
		src, there := g.tape.whole[l]
		if !there {
			return nil, fmt.Errorf("the gradient of %s is not whole", l.leaf.name)
		}
		g.wanted = append(g.wanted, src)
		out[i] = func() Mat { return src.op.din[src.input].Mat }
	}
	return out, nil
}

// Gradient returns the gradient of a node in the last run. The node is a leaf passed to Grad
// or lies between one and the cost; otherwise ok is false.
func (n *Node) Gradient() (m Mat, ok bool) {
	s, ok := n.g.tape.whole[n]
	if !ok {
		return m, false
	}
	return s.op.din[s.input].Mat, true
}

// trace starts the backward pass of a cost. It returns the ops the cost depends on,
// each with the number of its results that the cost depends on.
func (g *Graph) trace(cost *Node) (before map[*op]int) {
	g.tape = tape{cost, map[*Node]int{}, map[*Node]gradSource{}, map[*Node]gradSource{}}
	g.backwards, before = nil, map[*op]int{}
	g.count(cost, before)
	return before
}

// reverse lays out the backward pass of the ops before the cost, the last one first.
func (g *Graph) reverse(before map[*op]int) {
	for _, o := range slices.Backward(g.ops) {
		if before[o] > 0 {
			g.pass(o)
		}
	}
}

// count finds, from the cost backwards, how many ops read each node, and how many results
// of each op lie before the cost.
func (g *Graph) count(n *Node, before map[*op]int) {
	g.tape.readers[n] += 0
	o := n.src
	if o == nil {
		return
	}
	if before[o]++; before[o] > 1 {
		return
	}
	for _, x := range o.inputs {
		if !x.grad {
			continue
		}
		_, visited := g.tape.readers[x]
		g.tape.readers[x]++
		if !visited {
			g.count(x, before)
		}
	}
}

// pass adds the backward pass of an op, after all ops that read its results.
func (g *Graph) pass(o *op) {
	t, b := &g.tape, &o.back
	b.from, b.dout, b.joined = make([]gradSource, len(o.inputs)), make([]gradSource, len(o.results)), make([]bool, len(o.inputs))
	for i, n := range o.nodes {
		b.dout[i] = t.whole[n]
	}
	for i, x := range o.inputs {
		if !x.grad {
			continue
		}
		b.from[i] = t.partial[x]
		t.readers[x]--
		if b.joined[i] = t.readers[x] > 0; b.joined[i] {
			t.partial[x] = gradSource{o, i}
		} else {
			t.whole[x] = gradSource{o, i}
		}
	}
	g.backwards = append(g.backwards, o)
}

// backward runs the kernel's backward pass.
func (o *op) backward() error {
	for i := range o.results {
		if err := o.readGrad(i); err != nil {
			return err
		}
	}
	for i, x := range o.inputs {
		if x.grad {
			if err := o.prepareGrad(i); err != nil {
				return err
			}
		}
	}
	if err := o.k.backward(o.in, o.out, o.dout, o.din); err != nil {
		return fmt.Errorf("%s, backward: %w", o.name, err)
	}
	return nil
}

// readGrad sets dout[i] to the gradient of result i, or to an empty matrix.
func (o *op) readGrad(i int) error {
	o.dout[i] = Mat{}
	s := o.back.dout[i]
	if s.op == nil {
		return nil
	}
	grad := &s.op.din[s.input]
	if k, ok := o.k.(*attend); ok && i == 0 && k.compute(grad.deferred) {
		grad.deferred = nil
	}
	if err := grad.write(o.g.pool); err != nil {
		return err
	}
	o.dout[i] = grad.Mat
	return nil
}

// prepareGrad sets din[i] to the buffer of the gradient of input i: the one that another
// reader of the input has already written to, or a new one.
func (o *op) prepareGrad(i int) error {
	previous := o.din[i].Mat
	if f := o.back.from[i]; f.op != nil {
		grad := &f.op.din[f.input]
		if _, adds := o.k.(*attend); !adds || grad.deferred.ofWeights() {
			if err := grad.write(o.g.pool); err != nil {
				return err
			}
		}
		o.din[i] = Grad{grad.Mat, true, grad.deferred}
		grad.deferred = nil
	} else {
		m := o.in[i]
		o.inBuf[i] = grown(o.inBuf[i], m.Rows*m.Cols)
		o.din[i] = Grad{Mat{Rows: m.Rows, Cols: m.Cols, Data: o.inBuf[i]}, false, nil}
	}
	o.wrapGrad(i, previous)
	return nil
}

// finish writes the requested gradients that are still deferred.
func (g *Graph) finish() error {
	for _, s := range g.wanted {
		if err := s.op.din[s.input].write(g.pool); err != nil {
			return err
		}
	}
	return nil
}

// inOrder runs a graph without gorgonia: its ops in the order they were added, then the
// backward passes in their order.
type inOrder struct{}

func (inOrder) run(g *Graph) error {
	for _, o := range g.ops {
		if err := o.guarded("", o.forward); err != nil {
			return err
		}
	}
	for _, o := range g.backwards {
		if err := o.guarded(".backward", o.backward); err != nil {
			return err
		}
	}
	return g.finish()
}

func (inOrder) close() error { return nil }

// guarded names the op and the pass in the error that a panic becomes.
func (o *op) guarded(pass string, f func() error) error {
	err := guard.Call(f)
	if own, caught := err.(*guard.Error); caught { // errors of the pool already name their place
		err = fmt.Errorf("%s%s: %w", o.name, pass, own)
	}
	return err
}
