package ops

// A graph can be read as well as run: in exact arithmetic (Exact), as ONNX's operators
// (Export), as a picture (Sketch). All three walk it from its results to its leaves and
// ask each op on the way.

// NewPlan starts a graph for those who read it without numbers: its weights have shapes
// but no data, its ops take no memory, and it cannot run.
func NewPlan(training bool) *Graph {
	g := NewGraph(nil, training)
	g.unrun = 1
	return g
}

// Written says how equations put what n computes in another way, because that is
// faster or because n was computed outside the graph. f builds the form of the
// equations from ops that never run; who reads the graph in exact arithmetic or as a
// picture finds it in the place of n. It returns n.
func (n *Node) Written(f func() *Node) *Node {
	n.g.unrun++
	n.form = f()
	n.g.unrun--
	return n
}

// written returns the node that equations have in the place of n.
func (n *Node) written() *Node {
	for n.form != nil {
		n = n.form
	}
	return n
}

// By says which setting asked for the node's op, for those who read the graph. It
// returns the node.
func (n *Node) By(setting string) *Node {
	n.by, n.written().by = setting, setting
	return n
}

// Setting returns the setting that asked for the node's op, "" where it is there anyway.
func (n *Node) Setting() string { return n.written().by }

// MixesReviews reports whether the node's op lets a review depend on the others of its batch,
// in evaluation too: padding up to the longest, or a norm across them.
func (n *Node) MixesReviews() bool {
	n = n.written()
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

// Op returns the name of the op whose result the node is, as equations have it; "" for
// a leaf.
func (n *Node) Op() string {
	if o := n.written().src; o != nil {
		return o.name
	}
	return ""
}

// Inputs returns what that op reads.
func (n *Node) Inputs() []*Node {
	if o := n.written().src; o != nil {
		return o.inputs
	}
	return nil
}

// Same reports whether two nodes stand for the same in the equations.
func (n *Node) Same(m *Node) bool { return n.written() == m.written() }

// IsWeight reports whether the node is a matrix that is trained.
func (n *Node) IsWeight() bool { return n.leaf != nil && isWeight(n) }

// Walk calls f for every node that the given ones depend on in the equations, and for
// themselves, each once and before those that read it.
func Walk(f func(*Node), nodes ...*Node) {
	seen := map[*Node]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		if n = n.written(); seen[n] {
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

// follows reports whether n is made of what x is.
func (n *Node) follows(x *Node) bool {
	found := false
	Walk(func(y *Node) { found = found || y.shown() == x }, n)
	return found
}
