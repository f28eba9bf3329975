// Package ops holds the arithmetic of the models: a few fused operations on
// packed batches, each with its own backward pass, as ops of gorgonia's graph.
//
// gorgonia owns the expression graph, the order of the backward pass, and the
// machine that runs both; the kernels here compute every node's values.
// All nodes are matrices, one row a word or a review (see Axis). One graph
// serves batches of any size: the number of rows is set when it runs.
package ops

import "fmt"

// Graph is one expression graph together with its current batch.
// Errors in building it are kept: later calls do nothing, and Err returns the first.
type Graph struct {
	engine
	ops        []*op // in the order they were added: none reads a later one
	tape       tape
	backwards  []*op        // in the order of the backward pass
	wanted     []gradSource // the gradients requested from Grad
	pool       *Pool
	training   bool
	frozen     bool // gradients of the evaluation mode
	fixed      bool // weights have no gradients
	words      *Seq
	pairs      pairs
	ids        []int32
	labels     []int32
	reviews    []int32 // index in the split, for random numbers that depend on the review
	slots      []int   // the review in each slot of the sampled batch
	part       string  // prefix of the names of random streams
	seed, step uint64
	leaves     []*Node
	symbolic   int // above 0: nodes built now are only for pictures and never run
	err        error
	fault      error // of the op that ended the run
}

// NewGraph starts an empty graph whose ops run on pool. A graph that is not for
// training keeps no values for a backward pass and has no dropout.
func NewGraph(pool *Pool, training bool) *Graph {
	return &Graph{engine: newEngine(), pool: pool, training: training, words: newSeq()}
}

// Freeze makes a graph for training, before anything is built in it, compute the same as one
// for evaluation: no dropout, no label smoothing, and batch norm uses
// its running statistics, which do not change. The gradients then belong to
// the model's predictions.
func (g *Graph) Freeze() { g.frozen = true }

// FixWeights makes a graph, before anything is built in it, skip the gradients of
// its weights. This saves a third of the work of a backward pass for other gradients.
func (g *Graph) FixWeights() { g.fixed = true }

// Part separates the random numbers of the nodes built from now on by name; it is "" at first.
func (g *Graph) Part(name string) { g.part = name }

// learning reports whether the graph does the steps that only training does, such as dropout.
func (g *Graph) learning() bool { return g.training && !g.frozen }

// Training reports whether the graph is for training.
func (g *Graph) Training() bool { return g.training }

// Words returns the axis of the batch's words.
func (g *Graph) Words() *Seq { return g.words }

// Err returns the first error in building the graph.
func (g *Graph) Err() error { return g.err }

func (g *Graph) fail(format string, args ...any) *Node {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
	return &Node{g: g, axis: newFixed(0)}
}

// Node is a value in the graph: a matrix whose rows lie along an axis.
type Node struct {
	vertex
	g        *Graph
	axis     Axis
	cols     int
	grad     bool // it depends on something that is trained
	src      *op  // nil for leaves
	out      int  // which result of src
	leaf     *leaf
	formNode *Node   // the node that equations show instead, or nil
	symbol   string  // in equations; "" if the model gives it no name
	part     *repeat // the repeated part of the model that it belongs to
	like     *Node   // the node that pictures show instead
	by       string  // the setting that asked for it; "" if it is always there
}

// Graph returns the graph that the node belongs to.
func (n *Node) Graph() *Graph { return n.g }

// Cols returns the width of the node's rows.
func (n *Node) Cols() int { return n.cols }

// Detach stops the gradient at the node: all its readers, also those built before, treat its
// value as a constant.
func (n *Node) Detach() { n.grad = false }

// Axis returns the axis of the node's rows.
func (n *Node) Axis() Axis { return n.axis }

// Mat returns the node's value in the last run.
func (n *Node) Mat() Mat {
	if n.src != nil {
		return n.src.out[n.out]
	}
	if n.leaf.lookup.IDs != nil {
		return n.leaf.lookup
	}
	return n.leaf.mat
}

// leaf is a node whose value comes from outside.
type leaf struct {
	binding
	name     string
	mat      Mat
	lookup   Mat // set by Lookup
	used     bool
	read     access // how ops read the rows of a lookup
	buf      []float32
	distinct distinct
}

// copied reports whether the rows of a lookup are copied in order before the graph runs.
func (l *leaf) copied() bool {
	return l.read&copied != 0 || l.read&byReview != 0 && l.read&distinctly != 0
}

// Leaf adds an input of the given axis and width. With grad set, Grad can ask
// for its gradient.
func (g *Graph) Leaf(name string, axis Axis, cols int, grad bool) *Node {
	n := &Node{g: g, axis: axis, cols: cols, grad: grad, leaf: &leaf{name: name}}
	if g.symbolic > 0 {
		return n
	}
	n.vertex = g.input(name, cols)
	g.leaves = append(g.leaves, n)
	return n
}

// Param adds a leaf of weights [rows, cols] that shares its memory with data, which may
// be nil in a plan.
func (g *Graph) Param(name string, rows, cols int, data []float32) *Node {
	if g.symbolic == 0 && len(data) != rows*cols {
		return g.fail("parameter %s: %d numbers for [%d, %d]", name, len(data), rows, cols)
	}
	n := g.Leaf(name, newFixed(rows), cols, !g.fixed)
	if g.symbolic > 0 {
		return n
	}
	n.Set(Mat{Rows: rows, Cols: cols, Data: data})
	return n
}

// Set binds the leaf to the matrix, which it shares.
func (n *Node) Set(m Mat) {
	n.bind(m)
	n.leaf.mat, n.leaf.lookup = m, Mat{}
}

// Used reports whether any op reads the leaf.
func (n *Node) Used() bool { return n.leaf.used }
