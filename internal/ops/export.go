package ops

import (
	"fmt"
	"strings"

	"imdbexp/internal/onnx"
)

// Export rebuilds nodes of a graph from ONNX operators. Its batches are padded: a node of
// words is [batch, words, cols], of reviews [batch, cols], of weights [rows, cols]. Values
// on padding are undefined, except that attention weights are 0 there.
type Export struct {
	onnx.Builder
	names   map[*Node]string
	axes    map[*Seq]*places
	weights map[kernel]string // of attention [batch, heads, queries, keys]
	batch   string            // the number of reviews, as a list of one
	err     error
}

// places describes the words of a padded batch.
type places struct {
	mask    string // bool [batch, words]
	present string // the same as 0 and 1 [batch, words, 1]
	lengths string // int64 [batch, 1], at least 1
	longest string // int64
	at      string // int64 [words]: 0 … longest−1
	ids     string // int64 [batch, words], 0 for padding; "" if the rows are not words
}

// NewExport starts an empty graph with the given name.
func NewExport(name string) *Export {
	x := &Export{names: map[*Node]string{}, axes: map[*Seq]*places{}, weights: map[kernel]string{}}
	x.Graph.Name = name
	return x
}

// Words adds the input of the words of an axis, as int64 [batch, words]: rows of a
// vocabulary, padded with −1 to the longest text. A text of only padding is read as one
// word 0.
func (x *Export) Words(name, dim, doc string, s *Seq) {
	ids := x.Input(name, onnx.Int64, doc, onnx.Dim{Name: "batch"}, onnx.Dim{Name: dim})
	p := &places{}
	known := x.cast(x.Op("GreaterOrEqual", ids, x.zero()), onnx.Int64)
	p.lengths = x.Op("Max", x.sum(known, 1, true), x.one())
	p.longest = x.Op("Squeeze", x.size(ids, 1))
	p.ids = x.Op("Max", ids, x.zero())
	x.measure(p)
	x.axes[s] = p
	if x.batch == "" {
		x.batch = x.size(ids, 0)
	}
}

// Bind sets a leaf of words to the rows of a table [rows, cols] for its words.
func (x *Export) Bind(leaf *Node, name string, table []float32) {
	p := x.places(leaf.axis)
	if p.ids == "" {
		return
	}
	x.names[leaf] = x.Op("Gather", x.Constant(name, table, len(table)/leaf.cols, leaf.cols), p.ids)
}

// Err returns the first error.
func (x *Export) Err() error {
	if x.err != nil {
		return x.err
	}
	return x.Builder.Err()
}

func (x *Export) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// Name returns the tensor of a node. It adds the node and its inputs if they are new.
func (x *Export) Name(n *Node) string {
	if n.src == nil && n.formNode != nil {
		n = n.form() // computed outside the graph
	}
	name, ok := x.names[n]
	switch {
	case ok || x.err != nil:
	case n.src != nil:
		out, err := n.src.k.onnx(x, n.src.inputs)
		if err != nil {
			if n.by != "" {
				err = fmt.Errorf("with %s %w", n.by, err)
			}
			x.fail(err)
			return ""
		}
		for i, node := range n.src.nodes {
			if i < len(out) {
				x.names[node] = out[i]
			}
		}
		if name, ok = x.names[n]; !ok {
			x.fail(fmt.Errorf("%s: ONNX has no such result", n.src.name))
		}
	case n.IsWeight():
		m := n.leaf.mat
		name = x.Constant(n.leaf.name, m.Data, m.Rows, m.Cols)
		x.names[n] = name
	default:
		x.fail(fmt.Errorf("the input %s is not bound", n.leaf.name))
	}
	return name
}

// all returns the tensors of several nodes.
func (x *Export) all(nodes []*Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = x.Name(n)
	}
	return out
}

// row returns one row of weights as a vector.
func (x *Export) row(n *Node) string { return x.vector(n.leaf.name, n.leaf.mat.Data) }

// vector returns a constant list of numbers.
func (x *Export) vector(name string, data []float32) string {
	return x.Constant(name, data, len(data))
}

// stem is the name of a weight without its last part.
func stem(n *Node) string {
	if i := strings.LastIndexByte(n.leaf.name, '.'); i >= 0 {
		return n.leaf.name[:i]
	}
	return n.leaf.name
}

// places returns the tensors that describe an axis of words.
func (x *Export) places(a Axis) *places {
	s, _ := a.(*Seq)
	if p := x.axes[s]; p != nil {
		return p
	}
	for from, p := range x.axes {
		switch {
		case from.fronted != nil && from.fronted.seq == s:
			front := *p
			front.lengths, front.longest, front.ids = x.Op("Add", p.lengths, x.one()), x.Op("Add", p.longest, x.one()), ""
			x.measure(&front)
			x.axes[s] = &front
			return &front
		case from.padded != nil && from.padded.seq == s:
			x.fail(errDepends)
		}
	}
	x.fail(fmt.Errorf("an axis of words is not an input of the export"))
	return &places{}
}

// errDepends is the error of ops that depend on padding.
var errDepends = fmt.Errorf("the model's output for a text depends on the other texts of its batch")

// measure adds the masks of the words from their lengths.
func (x *Export) measure(p *places) {
	p.at = x.Op("Range", x.zero(), p.longest, x.one())
	p.mask = x.Op("Less", p.at, p.lengths)
	p.present = x.Op("Unsqueeze", x.cast(p.mask, onnx.Float), x.axis(2))
}

// Received returns how much attention each word receives [batch, words]; n is a result of the
// attention op. With byFirst only the attention of the first word counts, and that word is skipped.
// Without it the attention of all words counts. The result is a mean over heads and adds up to one.
func (x *Export) Received(n *Node, byFirst bool) string {
	x.Name(n)
	sum := x.sum(x.weights[n.src.k], 1, false) // [B, n, n]
	if byFirst {
		sum = x.first(sum)
		sum = x.Op("Slice", sum, x.Constant("slice.from", []int64{1}, 1), x.Constant("slice.to", []int64{1 << 62}, 1), x.axis(1))
	} else {
		sum = x.sum(sum, 1, false)
	}
	return x.Op("Div", sum, x.sum(sum, 1, true))
}

// Mean returns the mean of several nodes of reviews over all their columns [batch].
func (x *Export) Mean(nodes []*Node) string {
	var sum string
	columns := 0
	for _, n := range nodes {
		each := x.sum(x.Name(n), 1, true)
		if columns += n.cols; sum == "" {
			sum = each
		} else {
			sum = x.Op("Add", sum, each)
		}
	}
	return x.Op("Squeeze", x.Op("Div", sum, x.Constant("columns", []float32{float32(columns)})), x.axis(1))
}

// Column returns a node of one column without that dimension.
func (x *Export) Column(n *Node) string {
	name := x.Name(n)
	if _, words := n.axis.(*Seq); words {
		return x.Op("Squeeze", name, x.axis(2))
	}
	return x.Op("Squeeze", name, x.axis(1))
}

// Softmax returns the softmax of the rows of a node.
func (x *Export) Softmax(n *Node) string { return x.softmax("Softmax", x.Name(n), -1) }
