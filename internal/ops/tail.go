package ops

import "fmt"

// Tail is the part of a graph that depends on one node, for computing it again
// after that node's value was changed.
type Tail struct {
	from *Node
	ops  []*op // in a valid order to run them
}

// Tail returns the part of the graph between a node and others that depend on it. It is an error
// if one of these does not.
func (n *Node) Tail(to ...*Node) (*Tail, error) {
	t := &Tail{from: n}
	after := map[*op]bool{} // whether an op depends on n
	var visit func(o *op) bool
	visit = func(o *op) bool {
		if known, seen := after[o]; seen {
			return known
		}
		after[o] = false
		for _, x := range o.inputs {
			if x == n || x.src != nil && x.src != n.src && visit(x.src) {
				after[o] = true
			}
		}
		if after[o] {
			t.ops = append(t.ops, o)
		}
		return after[o]
	}
	for _, x := range to {
		if x.src == nil || x.src == n.src || !visit(x.src) {
			return nil, fmt.Errorf("it does not depend on the result of %s", n.Op())
		}
	}
	return t, nil
}

// Run computes the tail again from the values of the graph's last run, with the
// changes since then to the node's own value (Mat). The next run of
// the graph overwrites all of it.
func (t *Tail) Run() error {
	if m := t.from.Mat(); m.Data == nil || m.Rows != t.from.axis.Len() {
		return fmt.Errorf("the graph has not run yet; run it before a tail")
	}
	for _, o := range t.ops { // unused sums belong to the old weights
		if k, ok := o.k.(*weightedSum); ok {
			k.forget()
		}
	}
	for _, o := range t.ops {
		if err := o.forward(); err != nil {
			return err
		}
	}
	return nil
}
