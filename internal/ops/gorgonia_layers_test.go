package ops_test

import (
	"slices"

	"imdbexp/internal/ops"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// layer is a network of our ops and the same one of gorgonia's ops, for
// TestAgainstGorgonia and TestGradientsByFiniteDifferences.
type layer struct {
	model
	cost func(c *composed, x *G.Node, review int) *G.Node
}

const normEps = 0.1

var layers = []layer{
	{model{"residual and gates", map[string][2]int{"W": {width, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y := ops.Linear(x, w["W"], nil)
		return project(ops.Add(ops.Scale(ops.Sigmoid(y), -1.5), ops.GELU(y)), w["w"])
	}}, func(c *composed, x *G.Node, _ int) *G.Node {
		y := must(G.Mul(x, c.w["W"]))
		return c.project(c.mean(must(G.Tanh(must(G.Add(c.times(-1.5, must(G.Sigmoid(y))), c.gelu(y)))))))
	}},
	{model{"layer norm", map[string][2]int{"scale": {1, width}, "shift": {1, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.LayerNorm(x, w["scale"], w["shift"], normEps), w["w"])
	}}, func(c *composed, x *G.Node, _ int) *G.Node {
		average := c.matrix(width, width, 1./width)
		centred := must(G.Sub(x, must(G.Mul(x, average))))
		variance := must(G.Mul(must(G.Square(centred)), average))
		return c.project(c.mean(must(G.Tanh(c.affine(centred, variance)))))
	}},
	{model{"batch norm", map[string][2]int{"scale": {1, width}, "shift": {1, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.BatchNorm(x, w["scale"], w["shift"], newStats(width), ops.BatchNorming{Epsilon: normEps, Momentum: 0.1}), w["w"])
	}}, func(c *composed, x *G.Node, r int) *G.Node {
		mean := c.acrossWords(func(x *G.Node, _ int) *G.Node { return x })
		centre := func(x *G.Node, r int) *G.Node { return must(G.Sub(x, c.rows(r, mean))) }
		variance := c.acrossWords(func(x *G.Node, r int) *G.Node { return must(G.Square(centre(x, r))) })
		return c.project(c.mean(must(G.Tanh(c.affine(centre(x, r), c.rows(r, variance))))))
	}},
	{model{"slot norm of padding", map[string][2]int{"scale": {5, 1}, "shift": {5, 1}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.SlotNorm(ops.Pad(x), w["scale"], w["shift"], normEps), w["w"])
	}}, func(c *composed, _ *G.Node, r int) *G.Node {
		long := slices.Max(c.lens)
		padded := func(_ *G.Node, r int) *G.Node {
			return must(G.Mul(must(G.Transpose(c.picked(c.lens[r], long, 0))), c.words[r]))
		}
		mean := c.acrossReviews(padded)
		centre := func(x *G.Node, r int) *G.Node { return must(G.Sub(padded(x, r), mean)) }
		variance := c.acrossReviews(func(x *G.Node, r int) *G.Node { return must(G.Square(centre(x, r))) })
		unit := must(G.HadamardDiv(centre(nil, r), must(G.Sqrt(must(G.Add(variance, c.matrix(long, width, normEps)))))))
		slot := func(name string) *G.Node { // the slot's number everywhere; see batch
			return must(G.Mul(must(G.Mul(c.matrix(long, 1, 1), must(G.Mul(c.picked(1, 5, (r+1)%len(c.lens)), c.w[name])))), c.matrix(1, width, 1)))
		}
		return c.project(c.mean(must(G.Tanh(must(G.Add(must(G.HadamardProd(unit, slot("scale"))), slot("shift")))))))
	}},
	{model{"attention over the queries", map[string][2]int{"Q": {width, 4}, "K": {width, 4}, "V": {width, 3}, "w": {3, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y, _ := ops.SelfAttend(ops.Linear(x, w["Q"], nil), ops.Linear(x, w["K"], nil), ops.Linear(x, w["V"], nil), ops.SelfAttention{Heads: 1, Scale: 0.5, OverQueries: true})
		return project(y, w["w"])
	}}, func(c *composed, x *G.Node, r int) *G.Node {
		n := c.lens[r]
		scores := must(G.Mul(must(G.Mul(x, c.w["Q"])), must(G.Transpose(must(G.Mul(x, c.w["K"]))))))
		e := must(G.Exp(c.times(0.5, scores)))
		a := must(G.HadamardDiv(e, must(G.Mul(c.matrix(n, n, 1), e)))) // each column sums to one
		return c.project(c.mean(must(G.Tanh(must(G.Mul(a, must(G.Mul(x, c.w["V"]))))))))
	}},
	{model{"gru", map[string][2]int{"Wx": {width, 12}, "Wh": {4, 12}, "bx": {1, 12}, "bh": {1, 12}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		_, l := ops.GRU(x, w["Wx"], w["Wh"], w["bx"], w["bh"], true)
		return project(l, w["w"])
	}}, func(c *composed, x *G.Node, r int) *G.Node {
		return c.project(c.gru(x, r))
	}},
	{model{"rnn", map[string][2]int{"Wx": {width, 4}, "Wh": {4, 4}, "b": {1, 4}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		_, l := ops.RNN(x, w["Wx"], w["Wh"], w["b"], true)
		return project(l, w["w"])
	}}, func(c *composed, x *G.Node, r int) *G.Node {
		return c.project(c.rnn(x, r))
	}},
	{model{"[CLS] and positions", map[string][2]int{"cls": {1, width}, "P": {12, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y := ops.AddPositions(ops.Prepend(x, w["cls"]), w["P"])
		// The mean gives the words a weight next to the token.
		return project(ops.Add(ops.First(y), ops.Tanh(ops.Mean(y))), w["w"])
	}}, func(c *composed, x *G.Node, r int) *G.Node {
		n := c.lens[r]
		first, rest := c.picked(1, 12, 0), c.picked(n, 12, 1)
		token := must(G.Add(c.w["cls"], must(G.Mul(first, c.w["P"]))))
		words := must(G.Add(x, must(G.Mul(rest, c.w["P"]))))
		sum := must(G.Add(c.mean(words), c.times(1/float32(n), c.mean(token)))) // of 1 and n rows: (n+1)/n too large
		return c.project(must(G.Add(c.mean(token), must(G.Tanh(c.times(float32(n)/float32(n+1), sum))))))
	}},
	{model{"head similarity", map[string][2]int{"W": {width, 4}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y := ops.Linear(ops.Mean(ops.Linear(x, w["W"], nil)), w["w"], nil)
		return ops.Total(ops.Term{Node: y, Weight: 1}, ops.Term{Node: ops.HeadSimilarity(w["W"], 2), Weight: 0.3})
	}}, func(c *composed, x *G.Node, _ int) *G.Node {
		head := func(i int) *G.Node { return must(G.Mul(c.w["W"], must(G.Transpose(c.picked(2, 4, 2*i))))) }
		a, b := head(0), head(1)
		cos := must(G.HadamardDiv(must(G.Square(c.inner(a, b))), must(G.HadamardProd(c.inner(a, a), c.inner(b, b)))))
		return must(G.Add(c.project(c.mean(must(G.Mul(x, c.w["W"])))), c.times(2*0.3, cos)))
	}},
	{model{"smoothed cross-entropy", map[string][2]int{"W": {width, 3}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return ops.Total(ops.Term{Node: ops.CrossEntropy(ops.Linear(ops.Mean(x), w["W"], nil), 0.3, nil).Mean, Weight: 1})
	}}, func(c *composed, x *G.Node, r int) *G.Node {
		target := []float32{0.1, 0.1, 0.1}
		target[r%3] += 0.7
		p := c.softmax(must(G.Mul(must(G.Transpose(c.w["W"])), c.mean(x))))
		return must(G.Neg(must(G.Mul(c.vector(target), must(G.Log(p))))))
	}},
	encoderAndDecoder,
}

// matrix is a constant [rows, cols] of one value.
func (c *composed) matrix(rows, cols int, v float32) *G.Node {
	data := make([]float32, rows*cols)
	for i := range data {
		data[i] = v
	}
	return c.constant(rows, cols, data)
}

func (c *composed) constant(rows, cols int, data []float32) *G.Node {
	return G.NewMatrix(c.g, tensor.Float32, G.WithName(c.name()), G.WithShape(rows, cols),
		G.WithValue(tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(data))))
}

// picked is the matrix [rows, cols] whose product picks rows from … of another.
func (c *composed) picked(rows, cols, from int) *G.Node {
	data := make([]float32, rows*cols)
	for i := range rows {
		data[i*cols+from+i] = 1
	}
	return c.constant(rows, cols, data)
}

func (c *composed) times(v float32, x *G.Node) *G.Node { return must(G.HadamardProd(x, c.scalar(v))) }

// rows repeats a row [1, ·] for each word of a review.
func (c *composed) rows(review int, row *G.Node) *G.Node {
	return must(G.Mul(c.matrix(c.lens[review], 1, 1), row))
}

// affine is scale ⊙ x/√(variance + ε) + shift.
func (c *composed) affine(x, variance *G.Node) *G.Node {
	n := x.Shape()[0]
	unit := must(G.HadamardDiv(x, must(G.Sqrt(must(G.Add(variance, c.matrix(n, width, normEps)))))))
	repeat := func(name string) *G.Node { return must(G.Mul(c.matrix(n, 1, 1), c.w[name])) }
	return must(G.Add(must(G.HadamardProd(unit, repeat("scale"))), repeat("shift")))
}

// acrossWords is the mean [1, ·] of f over all words of the batch.
func (c *composed) acrossWords(f func(x *G.Node, review int) *G.Node) (mean *G.Node) {
	var words int
	for _, n := range c.lens {
		words += n
	}
	for r, x := range c.words {
		part := must(G.Mul(c.matrix(1, c.lens[r], 1/float32(words)), f(x, r)))
		if mean == nil {
			mean = part
		} else {
			mean = must(G.Add(mean, part))
		}
	}
	return mean
}

// acrossReviews is the mean of f, of one shape for all, over the reviews of the batch.
func (c *composed) acrossReviews(f func(x *G.Node, review int) *G.Node) (mean *G.Node) {
	for r, x := range c.words {
		part := c.times(1/float32(len(c.words)), f(x, r))
		if mean == nil {
			mean = part
		} else {
			mean = must(G.Add(mean, part))
		}
	}
	return mean
}

// inner is the sum of the products of all elements.
func (c *composed) inner(a, b *G.Node) *G.Node {
	p := must(G.HadamardProd(a, b))
	return must(G.Mul(c.filled(p.Shape()[1], 1), must(G.Mul(must(G.Transpose(p)), c.filled(p.Shape()[0], 1)))))
}

// gelu is the formula of the paper.
func (c *composed) gelu(x *G.Node) *G.Node {
	u := c.times(0.7978845608, must(G.Add(x, c.times(0.044715, must(G.Cube(x))))))
	return c.times(0.5, must(G.Add(x, must(G.HadamardProd(x, must(G.Tanh(u)))))))
}

// rnn returns the last state of one review, read from its end.
func (c *composed) rnn(x *G.Node, review int) *G.Node {
	wx, wh, b := must(G.Transpose(c.w["Wx"])), must(G.Transpose(c.w["Wh"])), c.flat("b")
	state := c.filled(c.w["Wh"].Shape()[0], 0)
	for i := c.lens[review] - 1; i >= 0; i-- {
		pick := make([]float32, c.lens[review])
		pick[i] = 1
		zx := must(G.Add(must(G.Mul(wx, must(G.Mul(must(G.Transpose(x)), c.vector(pick))))), b))
		state = must(G.Tanh(must(G.Add(zx, must(G.Mul(wh, state))))))
	}
	return state
}

// gru returns the last state of one review, read from its end.
func (c *composed) gru(x *G.Node, review int) *G.Node {
	wx, wh, bx, bh := must(G.Transpose(c.w["Wx"])), must(G.Transpose(c.w["Wh"])), c.flat("bx"), c.flat("bh")
	h := c.w["Wh"].Shape()[0]
	state := c.filled(h, 0)
	for i := c.lens[review] - 1; i >= 0; i-- {
		pick := make([]float32, c.lens[review])
		pick[i] = 1
		zx := must(G.Add(must(G.Mul(wx, must(G.Mul(must(G.Transpose(x)), c.vector(pick))))), bx))
		zh := must(G.Add(must(G.Mul(wh, state)), bh))
		part := func(z *G.Node, k int) *G.Node { return must(G.Slice(z, G.S(k*h, (k+1)*h))) }
		gate := func(k int) *G.Node { return must(G.Sigmoid(must(G.Add(part(zx, k), part(zh, k))))) }
		r, z := gate(0), gate(1)
		n := must(G.Tanh(must(G.Add(part(zx, 2), must(G.HadamardProd(r, part(zh, 2)))))))
		state = must(G.Add(n, must(G.HadamardProd(z, must(G.Sub(state, n))))))
	}
	return state
}
