// Package ops holds the arithmetic of the models as a few fused operations on
// packed batches, each with its own backward pass, hung into gorgonia's graph.
//
// gorgonia owns the expression graph, the order of the backward pass, and the
// machine that runs both; every node's numbers come from the kernels here.
// All nodes are matrices, one row a word or a review (see Axis). One graph
// serves batches of any size: rows are counted when it runs.
package ops

import "fmt"

// Graph is one expression graph together with the batch it is looking at.
// Errors in building it stick: later calls do nothing, and Err tells.
type Graph struct {
	engine
	ops        []*op // in the order in which they were added: none reads a later one
	tape       tape
	backwards  []*op        // in the order of the backward pass
	wanted     []gradSource // the gradients that Grad was asked for
	pool       *Pool
	training   bool
	frozen     bool // gradients of what evaluation computes
	fixed      bool // weights get no gradients
	words      *Seq
	pairs      pairs
	ids        []int32
	labels     []int32
	reviews    []int32 // of the split, for random numbers that follow a review
	slots      []int   // the review in each place of the batch as drawn
	part       string  // of the graph, whose random numbers are its own
	seed, step uint64
	leaves     []*Node
	unrun      int // above 0: what is built now is there to be read, and never runs
	err        error
	fault      error // of the op that ended the run
}

// NewGraph starts an empty graph whose ops run on pool. A graph that is not for
// training keeps nothing for a backward pass and leaves dropout out.
func NewGraph(pool *Pool, training bool) *Graph {
	return &Graph{engine: newEngine(), pool: pool, training: training, words: newSeq()}
}

// Freeze makes a graph for training, before anything is built in it, compute what one
// for evaluation does: dropout and label smoothing are left out, and batch norm uses
// its running statistics, which stay as they are. Its gradients are then those of
// the model's answers.
func (g *Graph) Freeze() { g.frozen = true }

// FixWeights makes a graph, before anything is built in it, leave out the gradients of
// its weights: a third of the work of a backward pass that is after others.
func (g *Graph) FixWeights() { g.fixed = true }

// Part gives what is built from now on random numbers of its own; "" is where one begins.
func (g *Graph) Part(name string) { g.part = name }

// learning reports whether the graph does what only training does.
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
	g      *Graph
	axis   Axis
	cols   int
	grad   bool // something that is trained lies behind it
	src    *op  // nil for leaves
	out    int  // which result of src
	leaf   *leaf
	form   *Node   // what equations have in its place; nil for itself
	symbol string  // in equations; "" where the model gives it no name
	part   *repeat // what leads here is done several times
	like   *Node   // pictures show that one in its place
	by     string  // the setting that asked for it; "" where it is there anyway
}

// Graph returns the graph that the node belongs to.
func (n *Node) Graph() *Graph { return n.g }

// Cols returns the width of the node's rows.
func (n *Node) Cols() int { return n.cols }

// Hold keeps what is learned from going back through the node, whoever reads it, also those
// built before: they take its numbers as they are.
func (n *Node) Hold() { n.grad = false }

// Axis returns what the node's rows stand for.
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
	lookup   Mat // what Look was given
	used     bool
	read     looking // how ops read the rows of a lookup
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
	if g.unrun > 0 {
		return n
	}
	n.vertex = g.input(name, cols)
	g.leaves = append(g.leaves, n)
	return n
}

// Param adds a leaf of weights [rows, cols] that shares its memory with data, which may
// be nil in a plan.
func (g *Graph) Param(name string, rows, cols int, data []float32) *Node {
	if g.unrun == 0 && len(data) != rows*cols {
		return g.fail("parameter %s: %d numbers for [%d, %d]", name, len(data), rows, cols)
	}
	n := g.Leaf(name, newFixed(rows), cols, !g.fixed)
	if g.unrun > 0 {
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
