package ops

import (
	"errors"
	"fmt"
)

// Mat64 is a row-major matrix [Rows, Cols] of float64.
type Mat64 struct {
	Rows, Cols int
	Data       []float64
}

func newWide(rows, cols int) Mat64 { return Mat64{rows, cols, make([]float64, rows*cols)} }

// Row returns row i, sharing the matrix's memory.
func (m Mat64) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// Range returns the rows lo … hi, sharing the matrix's memory.
func (m Mat64) Range(lo, hi int) Mat64 { return Mat64{hi - lo, m.Cols, m.Data[lo*m.Cols : hi*m.Cols]} }

// columns returns a copy of n columns, from the given one on.
func (m Mat64) columns(from, n int) Mat64 {
	out := newWide(m.Rows, n)
	for i := range m.Rows {
		copy(out.Row(i), m.Row(i)[from:])
	}
	return out
}

// Exact computes nodes of a graph again in float64, each op directly from its equation,
// one after another. It uses the batch, the weights and the running statistics of the
// graph's last run.
type Exact struct {
	values map[*Node]Mat64
	ran    bool // results of the run are reused
	err    error
}

// NewMixed returns an Exact that reuses the results of the graph's last run and computes
// only the nodes that the run did not have in that form (see Written).
func NewMixed() *Exact { return &Exact{values: map[*Node]Mat64{}, ran: true} }

// NewExact returns an Exact that computes every node itself.
func NewExact() *Exact { return &Exact{values: map[*Node]Mat64{}} }

// Value returns a node's value [rows, cols]. It computes the nodes it depends on
// once.
func (x *Exact) Value(n *Node) (Mat64, error) {
	v := x.value(n)
	return v, x.err
}

func (x *Exact) value(n *Node) Mat64 {
	n = n.form()
	v, ok := x.values[n]
	switch {
	case ok:
	case n.src == nil:
		m := n.Mat()
		if rows := n.axis.Len(); m.Rows != rows {
			x.fail(fmt.Errorf("%s: has %d rows, the batch has %d: no op of the graph reads them", n.leaf.name, m.Rows, rows))
			m = Mat{Rows: rows, Cols: n.cols, Data: make([]float32, rows*n.cols)}
		}
		v = toMat64(m)
		x.values[n] = v
	case x.ran && n.src.has(n.out):
		v = toMat64(n.Mat())
		x.values[n] = v
	default:
		x.compute(n.src)
		v = x.values[n]
	}
	return v
}

// has reports whether the op has run and left its result r.
func (o *op) has(r int) bool { return o.out != nil && o.out[r].Data != nil }

// compute computes the results of an op.
func (x *Exact) compute(o *op) {
	in, out := make([]Mat64, len(o.inputs)), make([]Mat64, len(o.results))
	for i, n := range o.inputs {
		in[i] = x.value(n)
	}
	for i, r := range o.results {
		out[i] = newWide(r.axis.Len(), r.cols)
		x.values[o.nodes[i]] = out[i]
	}
	if x.err != nil {
		return
	}
	if err := o.k.exact(in, out); err != nil {
		x.fail(fmt.Errorf("%s: %w", o.name, err))
	}
}

// fail keeps the first error.
func (x *Exact) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// toMat64 returns a matrix, or the rows of a lookup, in float64.
func toMat64(m Mat) Mat64 {
	out := newWide(m.Rows, m.Cols)
	for i := range m.Rows {
		row := out.Row(i)
		for j, v := range m.Row(i) {
			row[j] = float64(v)
		}
	}
	return out
}

// Weighing describes the attention of one review in one head: m queries to n keys. Scores and
// Weights grow with the square of the review; Each needs neither.
type Weighing struct {
	Queries, Keys Mat64      // [m, k], [n, k]
	Scores        Mat64      // [m, n] score of each query and key; empty from a Weigher
	Scale         float64    // of the scores, before the softmax
	By            Normaliser // in place of softmax
	Weights       Mat64      // [m, n]; empty from a Weigher
	Values        Mat64      // [n, v]; empty if another op computes the sum
	Additive      bool       // a score is v·tanh(query + key), not query · key
	OverQueries   bool       // the columns of Weights add up to one, not its rows
	Read          int        // number of leading queries whose results are used

	causal bool                         // query i sees the keys up to i
	score  func(q, k []float64) float64 // nil if Scores and Weights are filled
}

// weigher is a kernel that computes attention.
type weigher interface {
	// weighing returns the attention of a review in a head. Scores and Weights are filled
	// only if the kernel computes them anyway.
	weighing(in []Mat64, review, head int) Weighing
}

// Weighing returns the attention of a review in a head. n is a result of the attention op:
// its weights, its entropy or its sum. ok is false if the op computes no attention.
func (x *Exact) Weighing(n *Node, review, head int) (w Weighing, ok bool, err error) {
	weigh, ok, err := x.Weigher(n)
	if weigh == nil {
		return w, ok, err
	}
	return weigh(review, head).filled(), true, nil
}

// Weigher returns Weighing for one op, with its inputs computed and Scores and Weights empty
// (see Each). weigh can be called for several reviews and heads concurrently.
func (x *Exact) Weigher(n *Node) (weigh func(review, head int) Weighing, ok bool, err error) {
	o := n.form().src
	if !n.Weighs() {
		return nil, false, nil
	}
	in := make([]Mat64, len(o.inputs))
	for i, n := range o.inputs {
		in[i] = x.value(n)
	}
	if x.err != nil {
		return nil, true, x.err
	}
	return func(review, head int) Weighing { return o.k.(weigher).weighing(in, review, head) }, true, nil
}

// Weighs reports whether the op of the node computes attention.
func (n *Node) Weighs() bool {
	o := n.form().src
	if o == nil {
		return false
	}
	_, is := o.k.(weigher)
	return is
}

// trainingOnly is embedded in kernels that evaluation does not use.
type trainingOnly struct{}

var errTraining = errors.New("is only for training")

func (trainingOnly) exact(_, _ []Mat64) error { return errTraining }

func (trainingOnly) onnx(*Export, []*Node) ([]string, error) { return nil, errTraining }
