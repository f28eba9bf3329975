package ops_test

import (
	"fmt"
	"slices"
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
}

// TestAgainstGorgonia compares the cost and every gradient of networks of our
// ops with the same networks of gorgonia's.
func TestAgainstGorgonia(t *testing.T) {
	for _, c := range []struct {
		model string // in models
		cost  func(c *composed, x *G.Node, review int) *G.Node
	}{
		{"mean", func(c *composed, x *G.Node, _ int) *G.Node {
			return c.project(c.mean(x))
		}},
		{"linear on words", func(c *composed, x *G.Node, _ int) *G.Node {
			return c.project(c.mean(the(G.Tanh(c.bias(the(G.Mul(x, c.w["W"])), c.w["b"])))))
		}},
		{"global attention", func(c *composed, x *G.Node, _ int) *G.Node {
			a := c.softmax(c.scores(x, c.flat("q")))
			return c.project(c.sum(a, x))
		}},
		{"attention and its entropy", func(c *composed, x *G.Node, _ int) *G.Node {
			s := the(G.HadamardProd(c.scores(x, c.flat("q")), c.scalar(0.5)))
			a := c.softmax(s)
			y := c.project(c.sum(a, x))
			h := the(G.HadamardProd(c.entropy(a), c.scalar(0.7*float32(len(c.lens))))) // summed, not averaged
			return the(G.Add(y, h))
		}},
		{"entropy alone", func(c *composed, x *G.Node, _ int) *G.Node {
			return c.entropy(c.softmax(c.scores(x, c.flat("q"))))
		}},
		{"query from the mean, values", func(c *composed, x *G.Node, _ int) *G.Node {
			q := the(G.Add(the(G.Mul(c.mean(x), c.w["Q"])), c.flat("b")))
			a := c.softmax(c.scores(x, q))
			return c.project(c.sum(a, the(G.Tanh(the(G.Mul(x, c.w["V"]))))))
		}},
		{"lstm", func(c *composed, x *G.Node, r int) *G.Node {
			var sum *G.Node
			for _, h := range c.lstm(x, r, false) {
				h = the(G.Tanh(h))
				if sum == nil {
					sum = h
				} else {
					sum = the(G.Add(sum, h))
				}
			}
			return c.project(the(G.HadamardProd(sum, c.scalar(1/float32(c.lens[r])))))
		}},
		{"lstm, reversed, last", func(c *composed, x *G.Node, r int) *G.Node {
			states := c.lstm(x, r, true)
			return c.project(states[len(states)-1])
		}},
		{"cross-entropy", func(c *composed, x *G.Node, r int) *G.Node {
			z := the(G.Add(the(G.Mul(c.mean(x), c.w["W"])), c.flat("b")))
			p := the(G.Slice(c.softmax(z), G.S(r%3)))
			return the(G.Neg(the(G.Log(p))))
		}},
		{"self-attention", func(c *composed, x *G.Node, r int) *G.Node {
			k, v := the(G.Mul(x, c.w["K"])), the(G.Mul(x, c.w["V"]))
			var y, h *G.Node
			add := func(to **G.Node, n *G.Node) {
				if *to != nil {
					n = the(G.Add(*to, n))
				}
				*to = n
			}
			for i := range c.lens[r] {
				pick := make([]float32, c.lens[r])
				pick[i] = 1
				q := the(G.Mul(the(G.Transpose(c.w["Q"])), the(G.Mul(the(G.Transpose(x)), c.vector(pick)))))
				a := c.softmax(the(G.HadamardProd(c.scores(k, q), c.scalar(0.5))))
				add(&y, the(G.Tanh(c.sum(a, v))))
				add(&h, c.entropy(a))
			}
			mean := c.scalar(1 / float32(c.lens[r]))
			return the(G.Add(c.project(the(G.HadamardProd(y, mean))), the(G.HadamardProd(the(G.HadamardProd(h, mean)), c.scalar(0.3)))))
		}},
	} {
		t.Run(c.model, func(t *testing.T) {
			b := batch(5, 3, 2, 1)
			at := slices.IndexFunc(models, func(m model) bool { return m.name == c.model })
			ours := build(t, models[at], map[string][]float32{"x": wordRows(b.Words())})
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

func the(n *G.Node, err error) *G.Node {
	if err != nil {
		panic(err)
	}
	return n
}

// compose makes the inputs of the composed network.
func compose(t *testing.T, n *network, b *ragged.Batch) *composed {
	c := &composed{t: t, g: G.NewGraph(), w: map[string]*G.Node{}}
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
			total = the(G.Add(total, cost))
		}
	}
	total = the(G.HadamardProd(total, c.scalar(1/float32(len(c.words)))))
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
	return the(G.Reshape(w, tensor.Shape{w.Shape().TotalSize()}))
}

func (c *composed) project(v *G.Node) *G.Node {
	return the(G.Mul(v, c.flat("w")))
}

func (c *composed) bias(x, b *G.Node) *G.Node {
	return the(G.BroadcastAdd(x, b, nil, []byte{0}))
}

// mean, softmax and the sums over a review are products with vectors of ones.
func (c *composed) mean(x *G.Node) *G.Node {
	return the(G.Mul(the(G.Transpose(x)), c.filled(x.Shape()[0], 1/float32(x.Shape()[0]))))
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

func (c *composed) scores(x, q *G.Node) *G.Node { return the(G.Mul(x, q)) }

func (c *composed) softmax(s *G.Node) *G.Node {
	e := the(G.Exp(s))
	return the(G.HadamardDiv(e, the(G.Mul(e, c.filled(s.Shape()[0], 1)))))
}

func (c *composed) sum(a, x *G.Node) *G.Node { return the(G.Mul(the(G.Transpose(x)), a)) }

func (c *composed) entropy(a *G.Node) *G.Node {
	return the(G.Neg(the(G.Mul(a, the(G.Log(a))))))
}

// lstm returns the states of one review in the order of reading.
func (c *composed) lstm(x *G.Node, review int, reverse bool) (states []*G.Node) {
	wx, wh, b := the(G.Transpose(c.w["Wx"])), the(G.Transpose(c.w["Wh"])), c.flat("b")
	n, h := c.lens[review], c.w["Wh"].Shape()[0]
	var state, cell *G.Node
	for t := range n {
		i := t
		if reverse {
			i = n - 1 - t
		}
		// A slice of one row would lose its dimension: pick it by a product.
		pick := make([]float32, n)
		pick[i] = 1
		xt := the(G.Mul(the(G.Transpose(x)), c.vector(pick)))
		z := the(G.Add(the(G.Mul(wx, xt)), b))
		if state != nil {
			z = the(G.Add(z, the(G.Mul(wh, state))))
		}
		gate := func(k int) *G.Node { return the(G.Slice(z, G.S(k*h, (k+1)*h))) }
		in, forget := the(G.Sigmoid(gate(0))), the(G.Sigmoid(gate(1)))
		next := the(G.HadamardProd(in, the(G.Tanh(gate(2)))))
		if cell != nil {
			next = the(G.Add(next, the(G.HadamardProd(forget, cell))))
		}
		cell = next
		state = the(G.HadamardProd(the(G.Sigmoid(gate(3))), the(G.Tanh(cell))))
		states = append(states, state)
	}
	return states
}
