package ops

// A graph can also be read without running it: in exact arithmetic (Exact), as ONNX operators
// (Export) or as a picture (Sketch). All three walk it from its results to its leaves and
// call a method of each op.

// NewPlan starts a graph without data, for readers that need no numbers: its weights have shapes
// but no values, its ops use no memory, and it cannot run.
func NewPlan(training bool) *Graph {
	g := NewGraph(nil, training)
	g.symbolic = 1
	return g
}

// Form sets the form in which equations show n, if n computes it in another way for
// speed or outside the graph. f builds the form from ops that never run. Exact
// arithmetic and pictures read the form instead of n. It
// returns n.
func (n *Node) Form(f func() *Node) *Node {
	n.g.symbolic++
	n.formNode = f()
	n.g.symbolic--
	return n
}

// form returns the node that equations show instead of n.
func (n *Node) form() *Node {
	for n.formNode != nil {
		n = n.formNode
	}
	return n
}

// By notes which setting asked for the node's op, for readers of the graph. It
// returns the node.
func (n *Node) By(setting string) *Node {
	n.by, n.form().by = setting, setting
	return n
}

// Setting returns the setting that asked for the node's op, "" if it is always there.
func (n *Node) Setting() string { return n.form().by }

// MixesReviews reports whether the node's op makes a review depend on the others of its batch,
// in evaluation too: padding to the longest, or a norm across them.
func (n *Node) MixesReviews() bool {
	n = n.form()
	if n.src == nil {
		return false
	}
	switch k := n.src.k.(type) {
	case *pad, *slotNorm:
		return true
	case *batchNorm:
		return k.OfBatch
	}
	return false
}

// Op returns the name of the node's op as in the equations, "" for
// a leaf.
func (n *Node) Op() string {
	if o := n.form().src; o != nil {
		return o.name
	}
	return ""
}

// Inputs returns the inputs of the node's op.
func (n *Node) Inputs() []*Node {
	if o := n.form().src; o != nil {
		return o.inputs
	}
	return nil
}

// Same reports whether two nodes are the same in the equations.
func (n *Node) Same(m *Node) bool { return n.form() == m.form() }

// IsWeight reports whether the node is a trained matrix.
func (n *Node) IsWeight() bool { return n.leaf != nil && isWeight(n) }

// Walk calls f for the given nodes and every node they depend on in the equations,
// each once and inputs first.
func Walk(f func(*Node), nodes ...*Node) {
	seen := map[*Node]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		if n = n.form(); seen[n] {
			return
		}
		seen[n] = true
		for _, x := range n.Inputs() {
			walk(x)
		}
		f(n)
	}
	for _, n := range nodes {
		walk(n)
	}
}

// follows reports whether n depends on x in pictures.
func (n *Node) follows(x *Node) bool {
	found := false
	Walk(func(y *Node) { found = found || y.shown() == x }, n)
	return found
}
