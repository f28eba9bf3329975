//go:build !js

package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
)

// tape is what the gradient of a graph needs to know while gorgonia builds it.
//
// Where several ops read one node, gorgonia would add their gradients with its
// own slow Add. Here each op adds to the buffer that the one before it filled:
// all but the last of them keep their gradient from gorgonia and hand it on.
type tape struct {
	readers map[*Node]int     // ops between the node and the cost that have not passed yet
	partial map[*Node]*G.Node // the gradient so far
	whole   map[*Node]gradSource
}

// backward is the part of an op that its gradient needs.
type backward struct {
	joined  map[int]bool // inputs whose gradient was handed on to a later op
	results int          // results that lie before the cost and have not passed yet
	grads   []*G.Node    // gradient of each result
	from    []*op        // who filled the buffer of each input before; nil where this op is first
	fromIdx []int
	doutSrc []gradSource // where each result's gradient is found when it runs
}

// gradSource names the buffer din[input] of an op.
type gradSource struct {
	op    *op
	input int
}

// Grad adds the backward pass of cost to the graph and returns, for each of the
// leaves, the function that gives its gradient after a run.
func (g *Graph) Grad(cost *Node, leaves ...*Node) ([]func() Mat, error) {
	if g.err != nil {
		return nil, g.err
	}
	g.tape = tape{readers: map[*Node]int{}, partial: map[*Node]*G.Node{}, whole: map[*Node]gradSource{}}
	g.count(cost, map[*op]bool{})
	wrt := make(G.Nodes, len(leaves))
	for i, l := range leaves {
		if g.tape.readers[l] == 0 {
			return nil, fmt.Errorf("the cost does not depend on %s", l.node.Name())
		}
		wrt[i] = l.node
	}
	grads, err := G.Grad(cost.node, wrt...)
	if err != nil {
		return nil, err
	}
	if g.err != nil {
		return nil, g.err
	}
	out := make([]func() Mat, len(leaves))
	for i, n := range grads {
		src, ok := n.Op().(*adapter)
		if !ok {
			return nil, fmt.Errorf("gradient of %s: not one of ours but %v", leaves[i].node.Name(), n.Op())
		}
		g.wanted = append(g.wanted, gradSource{src.op, src.index})
		out[i] = func() Mat { return src.din[src.index].Mat }
	}
	return out, nil
}

// Gradient returns the gradient of a node in the last run, of which Grad was asked for
// that of something behind it; ok is false where there is none.
func (n *Node) Gradient() (m Mat, ok bool) {
	s, ok := n.g.tape.whole[n]
	if !ok {
		return m, false
	}
	return s.op.din[s.input].Mat, true
}

// count finds, from the cost backwards, how many ops read each node.
func (g *Graph) count(n *Node, seen map[*op]bool) {
	g.tape.readers[n] += 0
	o := n.src
	if o == nil {
		return
	}
	fresh := !seen[o]
	seen[o] = true
	if fresh {
		o.back = backward{joined: map[int]bool{}, grads: make([]*G.Node, len(o.results)), doutSrc: make([]gradSource, len(o.results))}
	}
	o.back.results++
	if !fresh {
		return
	}
	for _, x := range o.inputs {
		if !x.grad {
			continue
		}
		_, visited := g.tape.readers[x]
		g.tape.readers[x]++
		if !visited {
			g.count(x, seen)
		}
	}
}

// SymDiff implements gorgonia.SDOp.
func (a *adapter) SymDiff(_ G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	b := &a.back
	switch a.part {
	case resultPart:
		b.grads[a.index] = grad
		if b.results--; b.results > 0 {
			a.quiet = true
			return G.Nodes{nil}, nil
		}
		return G.Nodes{grad}, nil
	case forwardPart:
		if len(a.results) == 1 {
			b.grads[0] = grad
		}
		return a.diff()
	}
	return nil, fmt.Errorf("%s: no second derivative", a)
}

// diff adds the op's backward pass to the graph: one node that runs it, whose
// value is the first gradient, and one for each further gradient.
func (o *op) diff() (G.Nodes, error) {
	g, b := o.g, &o.back
	var needs G.Nodes // what must have run before
	for i, d := range b.grads {
		if d == nil {
			continue
		}
		needs = append(needs, d)
		if src, ok := d.Op().(*adapter); ok {
			b.doutSrc[i] = gradSource{src.op, src.index}
		}
	}
	b.from, b.fromIdx = make([]*op, len(o.inputs)), make([]int, len(o.inputs))
	first := -1
	for i, x := range o.inputs {
		if !x.grad {
			continue
		}
		if first < 0 {
			first = i
		}
		if p := g.tape.partial[x]; p != nil {
			src := p.Op().(*adapter)
			b.from[i], b.fromIdx[i] = src.op, src.index
			needs = append(needs, p)
		}
	}
	run, err := G.ApplyOp(g.adapt(o, backwardPart, first, len(needs)), needs...)
	if err != nil {
		return nil, err
	}
	out := make(G.Nodes, len(o.inputs))
	for i, x := range o.inputs {
		if !x.grad {
			continue
		}
		n := run
		if i != first {
			if n, err = G.ApplyOp(g.adapt(o, gradientPart, i, 1), run); err != nil {
				return nil, err
			}
		}
		out[i] = n
		if g.tape.readers[x]--; g.tape.readers[x] > 0 {
			g.tape.partial[x] = n
			b.joined[i] = true
		} else {
			g.tape.whole[x] = gradSource{o, i}
		}
	}
	return out, nil
}

// backward runs the kernel's backward pass.
func (o *op) backward() error {
	b := &o.back
	for i := range o.results {
		o.dout[i] = Mat{}
		if s := b.doutSrc[i]; s.op != nil {
			if err := s.op.din[s.input].write(o.g.pool); err != nil {
				return err
			}
			o.dout[i] = s.op.din[s.input].Mat
		}
	}
	for i, x := range o.inputs {
		if !x.grad {
			continue
		}
		was := o.din[i].Mat
		if f := b.from[i]; f != nil {
			from := &f.din[b.fromIdx[i]]
			if _, adds := o.k.(takesWaiting); !adds {
				if err := from.write(o.g.pool); err != nil {
					return err
				}
			}
			o.din[i] = Grad{from.Mat, true, from.waits}
			from.waits = nil
		} else {
			m := o.in[i]
			o.inBuf[i] = grown(o.inBuf[i], m.Rows*m.Cols)
			o.din[i] = Grad{Mat{Rows: m.Rows, Cols: m.Cols, Data: o.inBuf[i]}, false, nil}
		}
		o.inVal[i] = header(o.inVal[i], o.din[i].Mat, was)
	}
	if err := o.k.backward(o.in, o.out, o.dout, o.din); err != nil {
		return fmt.Errorf("%s, backward: %w", o.name, err)
	}
	return nil
}
