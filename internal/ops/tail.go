package ops

import "fmt"

// Tail is the part of a graph that depends on one node: what is to be computed again
// when that node's value is changed by hand.
type Tail struct {
	from *Node
	ops  []*op // in an order in which they can run
}

// Tail returns what lies between a node and others that depend on it; it is an error
// where one of these does not.
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

// Run computes the tail again from the values that the last run of the graph has left,
// and from whatever has since been written into the node's own (Mat). The next run of
// the graph overwrites all of it.
func (t *Tail) Run() error {
	if m := t.from.Mat(); m.Data == nil || m.Rows != t.from.axis.Len() {
		return fmt.Errorf("the graph has not run yet: there is nothing to change")
	}
	for _, o := range t.ops { // sums that were never taken are of other weights
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
