//go:build !js

package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
)

// derive lets gorgonia differentiate the cost. If several ops read one node, gorgonia would
// add their gradients with its own slow Add. So all but the last of them hide their gradient
// from gorgonia and pass it on themselves.
func (g *Graph) derive(cost *Node, leaves []*Node, before map[*op]int) error {
	g.partial = map[*Node]*G.Node{}
	for o, results := range before {
		o.waited, o.grads = results, make([]*G.Node, len(o.results))
	}
	wrt := make(G.Nodes, len(leaves))
	for i, l := range leaves {
		wrt[i] = l.node
	}
	if _, err := G.Grad(cost.node, wrt...); err != nil {
		return err
	}
	return g.err
}

// SymDiff implements gorgonia.SDOp.
func (a *adapter) SymDiff(_ G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	switch a.part {
	case resultPart:
		a.grads[a.index] = grad
		if a.waited--; a.waited > 0 {
			a.quiet = true
			return G.Nodes{nil}, nil
		}
		return G.Nodes{grad}, nil
	case forwardPart:
		if len(a.results) == 1 {
			a.grads[0] = grad
		}
		return a.diff()
	}
	return nil, fmt.Errorf("%s: no second derivative", a)
}

// diff adds the op's backward pass to the graph: one node that runs it, whose
// value is the first gradient, and one for each further gradient.
func (o *op) diff() (G.Nodes, error) {
	g := o.g
	var needs G.Nodes // nodes that must run before
	for _, d := range o.grads {
		if d != nil {
			needs = append(needs, d)
		}
	}
	first := -1
	for i, x := range o.inputs {
		if !x.grad {
			continue
		}
		if first < 0 {
			first = i
		}
		if p := g.partial[x]; p != nil {
			needs = append(needs, p)
		}
	}
	run, err := G.ApplyOp(g.adapt(o, backwardPart, first, len(needs)), needs...)
	if err != nil {
		return nil, err
	}
	g.pass(o)
	out := make(G.Nodes, len(o.inputs))
	for i, x := range o.inputs {
		if !x.grad {
			continue
		}
		out[i] = run
		if i != first {
			if out[i], err = G.ApplyOp(g.adapt(o, gradientPart, i, 1), run); err != nil {
				return nil, err
			}
		}
		if o.back.joined[i] {
			g.partial[x] = out[i]
		}
	}
	return out, nil
}
