package ops_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

// role says who reads an input besides the op under test, and so whether the
// op's backward pass leaves out its gradient, overwrites it or adds to it.
type role int

const (
	alone  role = iota
	frozen      // no gradient wanted
	before      // another op reads it too, built before this one
	after       // the same, built after this one
	roles
)

// wiring says how a case becomes a graph.
type wiring struct {
	roles     []role // nil: every input alone
	results   int    // bit r: result r is part of the cost
	noForward bool   // the op is left out: only the other readers
	untrained bool   // a graph without gradients and dropout
}

// all is the wiring in which every result of an op counts.
var all = wiring{results: 7}

// circuit is one op with a cost behind it, ready to run:
//
//	Σ tanh([y, rest]·V)·v over the rows of its results, rest telling them apart
//
// plus Σ x·u over the rows of each input that has another reader.
type circuit struct {
	opCase
	wiring
	g        *ops.Graph
	machine  *ops.Machine
	in, out  []*ops.Node
	rest     []*ops.Node
	inData   [][]float32
	restData [][]float32
	cost     *ops.Node
	grads    []func() ops.Mat // one an input; nil for frozen ones
}

const restCols, mixCols = 2, 3

func assemble(t testing.TB, c opCase, pool *ops.Pool, w wiring) *circuit {
	n := &circuit{opCase: c, wiring: w, g: ops.NewGraph(pool, !w.untrained)}
	n.g.Seed(seed)
	for i, x := range c.inputs {
		n.in = append(n.in, n.leaf(fmt.Sprint("in", i), x, n.role(i) != frozen))
	}
	terms := n.readers(before)
	if !w.noForward {
		n.out = c.build(n.in)
		require.NoError(t, n.g.Err())
		for r, y := range n.out[:c.smooth] {
			if w.results>>r&1 != 0 {
				terms = append(terms, n.behind(r, y))
			}
		}
	}
	n.cost = ops.Total(append(terms, n.readers(after)...)...)
	n.differentiate(t)
	n.machine = machine(t, n.g)
	return n
}

func (n *circuit) role(i int) role {
	if n.roles == nil {
		return alone
	}
	return n.roles[i]
}

// leaf adds an input. Its weights may be frozen, unlike with Param.
func (n *circuit) leaf(name string, x input, grad bool) *ops.Node {
	var axis ops.Axis = n.g.Words()
	switch x.axis {
	case onReviews:
		axis = n.g.Words().Reviews()
	case onWeights:
		axis = n.param(name+"/axis", x.rows, 1).Axis()
	case onFronted:
		axis = n.g.Words().Fronted()
	case onPadded:
		axis = n.g.Words().Padded()
	case onTargets:
		axis = n.g.Targets()
	case onPast:
		axis = n.g.Past()
	}
	return n.g.Leaf(name, axis, x.cols, grad)
}

func (n *circuit) param(name string, rows, cols int) *ops.Node {
	return n.g.Param(name, rows, cols, random(name, rows*cols))
}

// readers adds the other readers of the inputs with that role.
func (n *circuit) readers(as role) (terms []ops.Term) {
	for i, x := range n.inputs {
		if n.role(i) == as {
			u := n.param(fmt.Sprint("u", i), x.cols, 1)
			terms = append(terms, ops.Term{Node: ops.Linear(n.in[i], u, nil), Weight: 1, Sum: true})
		}
	}
	return terms
}

// behind adds what makes a term of the cost out of result r.
func (n *circuit) behind(r int, y *ops.Node) ops.Term {
	for len(n.rest) <= r {
		n.rest = append(n.rest, nil)
	}
	n.rest[r] = n.g.Leaf(fmt.Sprint("rest", r), y.Axis(), restCols, false)
	mixed := ops.Linear(ops.Concat(y, n.rest[r]), n.param(fmt.Sprint("V", r), y.Cols()+restCols, mixCols), nil)
	return ops.Term{Node: ops.Linear(ops.Tanh(mixed), n.param(fmt.Sprint("v", r), mixCols, 1), nil), Weight: 1, Sum: true}
}

func (n *circuit) differentiate(t testing.TB) {
	n.grads = make([]func() ops.Mat, len(n.in))
	if n.untrained {
		return
	}
	var leaves []*ops.Node
	var index []int
	for i, x := range n.in {
		if as := n.role(i); as != frozen && !(n.noForward && as == alone) {
			leaves, index = append(leaves, x), append(index, i)
		}
	}
	grads := must.Get(n.g.Grad(n.cost, leaves...))(t)
	for j, i := range index {
		n.grads[i] = grads[j]
	}
}

// run computes the circuit on a batch, with the numbers that belong to its size.
func (n *circuit) run(t testing.TB, b *ragged.Batch) {
	n.set(b)
	require.NoError(t, n.machine.Run(b, step))
}

func (n *circuit) set(b *ragged.Batch) {
	n.inData, n.restData = inputsOf(n.opCase, b), nil
	for i, x := range n.in {
		if x.Used() {
			x.Set(ops.Mat{Rows: n.inputs[i].size(b), Cols: x.Cols(), Data: n.inData[i]})
		}
	}
	for r, x := range n.rest {
		var data []float32
		if x != nil {
			rows := resultRows(x.Axis(), n.g, b)
			data = random(fmt.Sprint("rest", r), rows*restCols)
			x.Set(ops.Mat{Rows: rows, Cols: restCols, Data: data})
		}
		n.restData = append(n.restData, data)
	}
}

func inputsOf(c opCase, b *ragged.Batch) (data [][]float32) {
	for i, x := range c.inputs {
		data = append(data, random(fmt.Sprint("in", i), x.size(b)*x.cols))
		if slices.Contains(positive, c.name) {
			for j, v := range data[i] {
				data[i][j] = 0.2 + v*v
			}
		}
	}
	return data
}

// resultRows returns how many rows the axis has in a batch.
func resultRows(a ops.Axis, g *ops.Graph, b *ragged.Batch) int {
	if err := g.Lay(b); err != nil {
		panic(err)
	}
	return a.Len()
}

// reference is the circuit's cost in float64 as a function of its inputs.
func (n *circuit) reference(b *ragged.Batch, in []mat64) (cost float64) {
	for i, x := range in {
		if as := n.role(i); as == before || as == after {
			u := wide(x.cols, 1, random(fmt.Sprint("u", i), x.cols))
			cost += sum(refLinear(x, u, nil).at)
		}
	}
	if n.noForward {
		return cost
	}
	return cost + sum(n.terms(n.ref(b, in)))
}

// terms returns what each result adds to the cost in float64.
func (n *circuit) terms(results []mat64) (terms []float64) {
	for r, y := range results[:n.smooth] {
		if n.results>>r&1 == 0 {
			terms = append(terms, 0)
			continue
		}
		rest := wide(y.rows, restCols, n.restData[r])
		V := wide(y.cols+restCols, mixCols, random(fmt.Sprint("V", r), (y.cols+restCols)*mixCols))
		v := wide(mixCols, 1, random(fmt.Sprint("v", r), mixCols))
		terms = append(terms, sum(refLinear(refMap(refLinear(refConcat(y, rest), V, nil), math.Tanh), v, nil).at))
	}
	return terms
}

func (n *circuit) wideInputs(b *ragged.Batch) (in []mat64) {
	for i, x := range n.inputs {
		in = append(in, wide(x.size(b), x.cols, n.inData[i]))
	}
	return in
}

func wide(rows, cols int, data []float32) mat64 {
	m := newMat64(rows, cols)
	for i, v := range data {
		m.at[i] = float64(v)
	}
	return m
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
