package ops_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ragged"

	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// composed is the cost of a batch in gorgonia's own ops, one sub-graph a
// review. It avoids the ops whose gradients are wrong in this version
// (dropout, the outer product, LogSoftMax together with SoftMax).
type composed struct {
	t     *testing.T
	g     *G.ExprGraph
	named int
	words []*G.Node // the words of each review [n, d]
	w     map[string]*G.Node
	lens  []int
	batch *ragged.Batch
}

// TestAgainstGorgonia compares the cost and every gradient of networks of our
// ops with the same networks of gorgonia's.
func TestAgainstGorgonia(t *testing.T) {
	type comparison struct {
		model string // in models
		cost  func(c *composed, x *G.Node, review int) *G.Node
	}
	comparisons := []comparison{
		{"mean", func(c *composed, x *G.Node, _ int) *G.Node {
			return c.project(c.mean(x))
		}},
		{"linear on words", func(c *composed, x *G.Node, _ int) *G.Node {
			return c.project(c.mean(must(G.Tanh(c.bias(must(G.Mul(x, c.w["W"])), c.w["b"])))))
		}},
		{"global attention", func(c *composed, x *G.Node, _ int) *G.Node {
			a := c.softmax(c.scores(x, c.flat("q")))
			return c.project(c.sum(a, x))
		}},
		{"attention and its entropy", func(c *composed, x *G.Node, _ int) *G.Node {
			s := must(G.HadamardProd(c.scores(x, c.flat("q")), c.scalar(0.5)))
			a := c.softmax(s)
			y := c.project(c.sum(a, x))
			h := must(G.HadamardProd(c.entropy(a), c.scalar(0.7*float32(len(c.lens))))) // summed, not averaged
			return must(G.Add(y, h))
		}},
		{"entropy alone", func(c *composed, x *G.Node, _ int) *G.Node {
			return c.entropy(c.softmax(c.scores(x, c.flat("q"))))
		}},
		{"query from the mean, values", func(c *composed, x *G.Node, _ int) *G.Node {
			q := must(G.Add(must(G.Mul(c.mean(x), c.w["Q"])), c.flat("b")))
			a := c.softmax(c.scores(x, q))
			return c.project(c.sum(a, must(G.Tanh(must(G.Mul(x, c.w["V"]))))))
		}},
		{"lstm", func(c *composed, x *G.Node, r int) *G.Node {
			var sum *G.Node
			for _, h := range c.lstm(x, r, false) {
				h = must(G.Tanh(h))
				if sum == nil {
					sum = h
				} else {
					sum = must(G.Add(sum, h))
				}
			}
			return c.project(must(G.HadamardProd(sum, c.scalar(1/float32(c.lens[r])))))
		}},
		{"lstm, reversed, last", func(c *composed, x *G.Node, r int) *G.Node {
			states := c.lstm(x, r, true)
			return c.project(states[len(states)-1])
		}},
		{"cross-entropy", func(c *composed, x *G.Node, r int) *G.Node {
			z := must(G.Add(must(G.Mul(c.mean(x), c.w["W"])), c.flat("b")))
			p := must(G.Slice(c.softmax(z), G.S(r%3)))
			return must(G.Neg(must(G.Log(p))))
		}},
	}
	for _, l := range layers {
		comparisons = append(comparisons, comparison{l.name, l.cost})
	}
	for _, c := range comparisons {
		t.Run(c.model, func(t *testing.T) {
			b := batch(5, 3, 2, 1)
			ours := build(t, find(t, c.model), 2, map[string][]float32{"x": wordRows(b.Words())})
			cost := ours.run(t, b)
			theirs := compose(t, ours, b)
			want, grads := theirs.run(c.cost, b, ours)
			require.InDelta(t, want, cost, 1e-5)
			for name, w := range grads {
				require.InDeltaSlice(t, w, ours.grads[name]().Data, 2e-5, name)
			}
		})
	}
}

func find(t *testing.T, name string) model {
	for _, m := range models {
		if m.name == name {
			return m
		}
	}
	for _, l := range layers {
		if l.name == name {
			return l.model
		}
	}
	require.Fail(t, "no such model", name)
	return model{}
}

func must(n *G.Node, err error) *G.Node {
	if err != nil {
		panic(err)
	}
	return n
}

// compose makes the inputs of the composed network.
func compose(t *testing.T, n *network, b *ragged.Batch) *composed {
	c := &composed{t: t, g: G.NewGraph(), w: map[string]*G.Node{}, batch: b}
	matrix := func(name string, rows, cols int, data []float32) *G.Node {
		v := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(append([]float32(nil), data...)))
		return G.NewMatrix(c.g, tensor.Float32, G.WithName(name), G.WithShape(rows, cols), G.WithValue(v))
	}
	for r := range b.Len() {
		lo, hi := b.Offsets[r], b.Offsets[r+1]
		c.words = append(c.words, matrix(fmt.Sprint("x", r), hi-lo, width, n.data["x"][lo*width:hi*width]))
		c.lens = append(c.lens, hi-lo)
	}
	for name, shape := range n.shapes {
		c.w[name] = matrix(name, shape[0], shape[1], n.data[name])
	}
	return c
}

// run returns the mean cost over the reviews and the gradients of all inputs.
func (c *composed) run(one func(*composed, *G.Node, int) *G.Node, b *ragged.Batch, n *network) (float32, map[string][]float32) {
	var total *G.Node
	for r, x := range c.words {
		cost := one(c, x, r)
		if total == nil {
			total = cost
		} else {
			total = must(G.Add(total, cost))
		}
	}
	total = must(G.HadamardProd(total, c.scalar(1/float32(len(c.words)))))
	wrt, names := append(G.Nodes{}, c.words...), make([]string, len(c.words))
	for i := range names {
		names[i] = "x"
	}
	for name, w := range c.w {
		wrt, names = append(wrt, w), append(names, name)
	}
	grads, err := G.Grad(total, wrt...)
	require.NoError(c.t, err)
	reads := make([]G.Value, len(grads))
	for i, g := range grads {
		G.Read(g, &reads[i])
	}
	var cost G.Value
	G.Read(total, &cost)
	vm := G.NewTapeMachine(c.g)
	defer vm.Close()
	require.NoError(c.t, vm.RunAll())
	out := map[string][]float32{}
	for i, name := range names {
		out[name] = append(out[name], reads[i].Data().([]float32)...)
	}
	return cost.Data().(float32), out
}

// name returns a new name: inputs of the same name merge.
func (c *composed) name() string {
	c.named++
	return fmt.Sprint("constant", c.named)
}

func (c *composed) scalar(v float32) *G.Node {
	return G.NewScalar(c.g, tensor.Float32, G.WithName(c.name()), G.WithValue(v))
}

// flat is a weight of one row, or column, as a vector.
func (c *composed) flat(name string) *G.Node {
	w := c.w[name]
	return must(G.Reshape(w, tensor.Shape{w.Shape().TotalSize()}))
}

func (c *composed) project(v *G.Node) *G.Node {
	return must(G.Mul(v, c.flat("w")))
}

func (c *composed) bias(x, b *G.Node) *G.Node {
	return must(G.BroadcastAdd(x, b, nil, []byte{0}))
}

// mean, softmax and the sums over a review are products with vectors of ones.
func (c *composed) mean(x *G.Node) *G.Node {
	return must(G.Mul(must(G.Transpose(x)), c.filled(x.Shape()[0], 1/float32(x.Shape()[0]))))
}

func (c *composed) filled(n int, v float32) *G.Node {
	data := make([]float32, n)
	for i := range data {
		data[i] = v
	}
	return c.vector(data)
}

func (c *composed) vector(data []float32) *G.Node {
	return G.NewVector(c.g, tensor.Float32, G.WithName(c.name()), G.WithShape(len(data)),
		G.WithValue(tensor.New(tensor.WithShape(len(data)), tensor.WithBacking(data))))
}

func (c *composed) scores(x, q *G.Node) *G.Node { return must(G.Mul(x, q)) }

func (c *composed) softmax(s *G.Node) *G.Node {
	e := must(G.Exp(s))
	return must(G.HadamardDiv(e, must(G.Mul(e, c.filled(s.Shape()[0], 1)))))
}

func (c *composed) sum(a, x *G.Node) *G.Node { return must(G.Mul(must(G.Transpose(x)), a)) }

func (c *composed) entropy(a *G.Node) *G.Node {
	return must(G.Neg(must(G.Mul(a, must(G.Log(a))))))
}

// lstm returns the states of one review in the order of reading.
func (c *composed) lstm(x *G.Node, review int, reverse bool) (states []*G.Node) {
	states, _ = c.lstmFrom(x, c.lens[review], reverse, [3]string{"Wx", "Wh", "b"}, nil, nil)
	return states
}

// lstmFrom goes over the n rows of x with the weights of these names, from a state
// and a cell or from zeros, and returns the last cell too.
func (c *composed) lstmFrom(x *G.Node, n int, reverse bool, weights [3]string, state, cell *G.Node) (states []*G.Node, _ *G.Node) {
	wx, wh, b := must(G.Transpose(c.w[weights[0]])), must(G.Transpose(c.w[weights[1]])), c.flat(weights[2])
	h := c.w[weights[1]].Shape()[0]
	for t := range n {
		i := t
		if reverse {
			i = n - 1 - t
		}
		// A slice of one row would lose its dimension: pick it by a product.
		pick := make([]float32, n)
		pick[i] = 1
		xt := must(G.Mul(must(G.Transpose(x)), c.vector(pick)))
		z := must(G.Add(must(G.Mul(wx, xt)), b))
		if state != nil {
			z = must(G.Add(z, must(G.Mul(wh, state))))
		}
		gate := func(k int) *G.Node { return must(G.Slice(z, G.S(k*h, (k+1)*h))) }
		in, forget := must(G.Sigmoid(gate(0))), must(G.Sigmoid(gate(1)))
		next := must(G.HadamardProd(in, must(G.Tanh(gate(2)))))
		if cell != nil {
			next = must(G.Add(next, must(G.HadamardProd(forget, cell))))
		}
		cell = next
		state = must(G.HadamardProd(must(G.Sigmoid(gate(3))), must(G.Tanh(cell))))
		states = append(states, state)
	}
	return states, cell
}
