package ops_test

import (
	"math"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// model is a small network around one op: weights by name, and how to build a
// cost from the words and the weights.
type model struct {
	name   string
	shapes map[string][2]int
	build  func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node
}

const width = 5 // of the words

// project reduces any node to a cost that depends on every element differently.
func project(n *ops.Node, w *ops.Node) *ops.Node {
	if _, words := n.Axis().(*ops.Seq); words {
		n = ops.Mean(ops.Tanh(n))
	}
	return ops.Total(ops.Term{Node: ops.Linear(n, w, nil), Weight: 1})
}

var models = []model{
	{"mean", map[string][2]int{"w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.Mean(x), w["w"])
	}},
	{"linear on words", map[string][2]int{"W": {width, 3}, "b": {1, 3}, "w": {3, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.Linear(x, w["W"], w["b"]), w["w"])
	}},
	// tanh + 1.2 and tanh − 1.2 keep every element away from the kink.
	{"relu", map[string][2]int{"W": {width, 2}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y, eye := ops.Tanh(ops.Linear(x, w["W"], nil)), []float32{1, 0, 0, 1}
		on := ops.Linear(y, g.Param("eye", 2, 2, eye), g.Param("up", 1, 2, []float32{1.2, 1.2}))
		off := ops.Linear(y, g.Param("eye", 2, 2, eye), g.Param("down", 1, 2, []float32{-1.2, -1.2}))
		return project(ops.ReLU(ops.Concat(on, off)), w["w"])
	}},
	{"global attention", map[string][2]int{"q": {1, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		a, _ := ops.Attend(w["q"], x, 1)
		return project(ops.WeightedSum(a, x), w["w"])
	}},
	{"attention and its entropy", map[string][2]int{"q": {1, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		a, h := ops.Attend(w["q"], x, 0.5)
		y := ops.Linear(ops.WeightedSum(a, x), w["w"], nil)
		return ops.Total(ops.Term{Node: y, Weight: 1}, ops.Term{Node: h, Weight: 0.7, Sum: true})
	}},
	{"entropy alone", map[string][2]int{"q": {1, width}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		_, h := ops.Attend(w["q"], x, 1)
		return ops.Total(ops.Term{Node: h, Weight: 1})
	}},
	sparse(ops.Sparsemax, "q"),
	sparse(ops.Entmax15, "q"),
	{"gate", map[string][2]int{"U": {width, 3}, "V": {width, 3}, "w": {3, 1}}, func(_ *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.Mul(ops.Tanh(ops.Linear(x, w["V"], nil)), ops.Sigmoid(ops.Linear(x, w["U"], nil))), w["w"])
	}},
	{"query from the mean, values", map[string][2]int{"Q": {width, width}, "b": {1, width}, "V": {width, 4}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		a, _ := ops.Attend(ops.Linear(ops.Mean(x), w["Q"], w["b"]), x, 1)
		return project(ops.WeightedSum(a, ops.Tanh(ops.Linear(x, w["V"], nil))), w["w"])
	}},
	{"lstm", lstmShapes("w"), func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		h, _ := ops.LSTM(x, w["Wx"], w["Wh"], w["b"], false)
		return project(h, w["w"])
	}},
	{"lstm, reversed, last", lstmShapes("w"), func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		_, l := ops.LSTM(x, w["Wx"], w["Wh"], w["b"], true)
		return project(l, w["w"])
	}},
	{"lstm, states and last and attention", lstmShapes("w"), func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		h, l := ops.LSTM(x, w["Wx"], w["Wh"], w["b"], false)
		a, e := ops.Attend(l, h, 0.3)
		y := ops.Linear(ops.WeightedSum(a, h), w["w"], nil)
		z := ops.Linear(ops.Mean(h), w["w"], nil)
		return ops.Total(ops.Term{Node: y, Weight: 1}, ops.Term{Node: z, Weight: 2}, ops.Term{Node: e, Weight: 0.2})
	}},
	{"two directions", twoLSTM(), func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		a, _ := ops.LSTM(x, w["Wx"], w["Wh"], w["b"], false)
		b, _ := ops.LSTM(x, w["Wx2"], w["Wh2"], w["b2"], true)
		return project(ops.Concat(a, b), w["w"])
	}},
	{"dropout", map[string][2]int{"W": {width, 3}, "w": {3, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.Dropout(ops.Linear(ops.Dropout(x, "in", 0.3), w["W"], nil), "out", 0.5), w["w"])
	}},
	{"cross-entropy", map[string][2]int{"W": {width, 3}, "b": {1, 3}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		loss := ops.CrossEntropy(ops.Linear(ops.Mean(x), w["W"], w["b"]), 0, nil)
		return ops.Total(ops.Term{Node: loss.Mean, Weight: 1})
	}},
}

// sparse is attention with a piecewise normaliser: no step of the test may change which words have
// weights. The name of the query chooses its numbers: with this one they are far enough.
func sparse(by ops.Normaliser, query string) model {
	return model{by.String(), map[string][2]int{query: {1, width}, "w": {width, 1}}, func(_ *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		a, h := ops.Attend(w[query], x, 2)
		a.Normalise(by)
		y := ops.Linear(ops.WeightedSum(a, x), w["w"], nil)
		return ops.Total(ops.Term{Node: y, Weight: 1}, ops.Term{Node: h, Weight: 0.7})
	}}
}

func lstmShapes(out string) map[string][2]int {
	return map[string][2]int{"Wx": {width, 16}, "Wh": {4, 16}, "b": {1, 16}, out: {4, 1}}
}

func twoLSTM() map[string][2]int {
	return map[string][2]int{"Wx": {width, 16}, "Wh": {4, 16}, "b": {1, 16}, "Wx2": {width, 12}, "Wh2": {3, 12}, "b2": {1, 12}, "w": {7, 1}}
}

// network is a model built for running.
type network struct {
	m    *ops.Machine
	x    *ops.Node
	cost *ops.Node
	model
	data  map[string][]float32
	grads map[string]func() ops.Mat
}

func build(t *testing.T, md model, workers int, data map[string][]float32) *network {
	pool := ops.NewPool(workers)
	t.Cleanup(pool.Close)
	g := ops.NewGraph(pool, true)
	g.Seed(7)
	n := &network{model: md, data: data, grads: map[string]func() ops.Mat{}}
	n.x = g.Leaf("x", g.Words(), width, true)
	w := map[string]*ops.Node{}
	leaves, names := []*ops.Node{n.x}, []string{"x"}
	for _, name := range sorted(md.shapes) {
		s := md.shapes[name]
		if data[name] == nil {
			data[name] = make([]float32, s[0]*s[1])
			simd.Uniform(data[name], simd.Key(3, name), -0.8, 0.8)
		}
		w[name] = g.Param(name, s[0], s[1], data[name])
		leaves, names = append(leaves, w[name]), append(names, name)
	}
	n.cost = md.build(g, n.x, w)
	fs, err := g.Grad(n.cost, leaves...)
	require.NoError(t, err)
	for i, f := range fs {
		n.grads[names[i]] = f
	}
	n.m, err = g.Machine()
	require.NoError(t, err)
	t.Cleanup(func() { n.m.Close() })
	return n
}

func (n *network) run(t *testing.T, b *ragged.Batch) float32 {
	n.x.Set(ops.Mat{Rows: b.Words(), Cols: width, Data: n.data["x"]})
	require.NoError(t, n.m.Run(b, 5))
	return n.cost.Mat().Data[0]
}

func sorted(m map[string][2]int) (out []string) {
	for k := range m {
		i := 0
		for i < len(out) && out[i] < k {
			i++
		}
		out = append(out[:i], append([]string{k}, out[i:]...)...)
	}
	return out
}

func wordRows(n int) []float32 {
	x := make([]float32, n*width)
	simd.Uniform(x, simd.Key(9, "x"), -1, 1)
	return x
}

// Every gradient against central differences of the cost.
func TestGradientsByFiniteDifferences(t *testing.T) {
	every := slices.Clone(models)
	for _, l := range layers {
		every = append(every, l.model)
	}
	for _, md := range every {
		t.Run(md.name, func(t *testing.T) {
			b := batch(9, 6, 4, 2, 1)
			n := build(t, md, 2, map[string][]float32{"x": wordRows(b.Words())})
			for name, grad := range n.grads {
				n.run(t, b)
				got := append([]float32(nil), grad().Data...)
				x := n.data[name]
				var worst, size float64
				for i := range x {
					const eps = 1.0 / 64
					old := x[i]
					x[i] = old + eps
					up := n.run(t, b)
					x[i] = old - eps
					down := n.run(t, b)
					x[i] = old
					want := float64(up-down) / (2 * eps)
					worst = max(worst, math.Abs(want-float64(got[i])))
					size = max(size, math.Abs(want))
				}
				require.Greater(t, size, 1e-4, "%s: a gradient that is zero shows nothing", name)
				require.Less(t, worst, 0.004*size+2e-5, name)
			}
		})
	}
}
