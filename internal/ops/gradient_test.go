package ops_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

// model is a small network around one op: weights by name, and how to build a
// cost from the words and the weights.
type model struct {
	name   string
	shapes map[string][2]int
	build  func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node
}

const (
	width         = 5 // of the words
	normEps       = 0.1
	pairSmoothing = 0.3
)

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
	{"self-attention", map[string][2]int{"Q": {width, 4}, "K": {width, 4}, "V": {width, 3}, "w": {3, 1}},
		func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
			y, h := ops.SelfAttend(ops.Linear(x, w["Q"], nil), ops.Linear(x, w["K"], nil), ops.Linear(x, w["V"], nil), ops.SelfAttention{Heads: 1, Scale: 0.5})
			return ops.Total(ops.Term{Node: ops.Linear(ops.Mean(ops.Tanh(y)), w["w"], nil), Weight: 1}, ops.Term{Node: h, Weight: 0.3})
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
	// From here on gorgonia has no op of the kind: their formulas in float64 are in cases.
	{"residual and gates", map[string][2]int{"W": {width, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y := ops.Linear(x, w["W"], nil)
		return project(ops.Add(ops.Scale(ops.Sigmoid(y), -1.5), ops.GELU(y)), w["w"])
	}},
	{"layer norm", map[string][2]int{"scale": {1, width}, "shift": {1, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.LayerNorm(x, w["scale"], w["shift"], normEps), w["w"])
	}},
	{"batch norm", map[string][2]int{"scale": {1, width}, "shift": {1, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.BatchNorm(x, w["scale"], w["shift"], newStats(width), ops.BatchNorming{Epsilon: normEps, Momentum: 0.1}), w["w"])
	}},
	{"slot norm of padding", map[string][2]int{"scale": {5, 1}, "shift": {5, 1}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return project(ops.SlotNorm(ops.Pad(x), w["scale"], w["shift"], normEps), w["w"])
	}},
	{"attention over the queries", map[string][2]int{"Q": {width, 4}, "K": {width, 4}, "V": {width, 3}, "w": {3, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y, _ := ops.SelfAttend(ops.Linear(x, w["Q"], nil), ops.Linear(x, w["K"], nil), ops.Linear(x, w["V"], nil), ops.SelfAttention{Heads: 1, Scale: 0.5, OverQueries: true})
		return project(y, w["w"])
	}},
	{"gru", map[string][2]int{"Wx": {width, 12}, "Wh": {4, 12}, "bx": {1, 12}, "bh": {1, 12}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		_, l := ops.GRU(x, w["Wx"], w["Wh"], w["bx"], w["bh"], true)
		return project(l, w["w"])
	}},
	{"rnn", map[string][2]int{"Wx": {width, 4}, "Wh": {4, 4}, "b": {1, 4}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		_, l := ops.RNN(x, w["Wx"], w["Wh"], w["b"], true)
		return project(l, w["w"])
	}},
	{"[CLS] and positions", map[string][2]int{"cls": {1, width}, "P": {12, width}, "w": {width, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y := ops.AddPositions(ops.Prepend(x, w["cls"]), w["P"])
		// The mean gives the words a weight next to the token.
		return project(ops.Add(ops.First(y), ops.Tanh(ops.Mean(y))), w["w"])
	}},
	{"head similarity", map[string][2]int{"W": {width, 4}, "w": {4, 1}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		y := ops.Linear(ops.Mean(ops.Linear(x, w["W"], nil)), w["w"], nil)
		return ops.Total(ops.Term{Node: y, Weight: 1}, ops.Term{Node: ops.HeadSimilarity(w["W"], 2), Weight: 0.3})
	}},
	{"smoothed cross-entropy", map[string][2]int{"W": {width, 3}}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		return ops.Total(ops.Term{Node: ops.CrossEntropy(ops.Linear(ops.Mean(x), w["W"], nil), 0.3, nil).Mean, Weight: 1})
	}},
	{"encoder and decoder", map[string][2]int{
		"source": {vocabulary, width}, "target": {vocabulary, width}, "bias": {1, vocabulary},
		"Wx": {width, 4 * width}, "Wh": {width, 4 * width}, "b": {1, 4 * width},
		"Vx": {width, 4 * width}, "Vh": {width, 4 * width}, "c": {1, 4 * width},
	}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		x = ops.Add(x, ops.Embed(w["source"], g.Words()))
		_, state, cell := ops.LSTMLast(x, w["Wx"], w["Wh"], w["b"], true)
		states, _, _ := ops.LSTMFrom(ops.Embed(w["target"], g.Targets()), w["Vx"], w["Vh"], w["c"], state, cell)
		loss := ops.VocabularyLoss(states, w["target"], w["bias"], pairSmoothing)
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

func build(t *testing.T, md model, data map[string][]float32) *network {
	g := ops.NewGraph(newPool(t, 1), true)
	g.Seed(7)
	n := &network{model: md, data: data, grads: map[string]func() ops.Mat{}}
	n.x = g.Leaf("x", g.Words(), width, true)
	w := map[string]*ops.Node{}
	leaves, names := []*ops.Node{n.x}, []string{"x"}
	for _, name := range slices.Sorted(maps.Keys(md.shapes)) {
		s := md.shapes[name]
		if data[name] == nil {
			data[name] = make([]float32, s[0]*s[1])
			simd.Uniform(data[name], simd.Key(3, name), -0.8, 0.8)
		}
		w[name] = g.Param(name, s[0], s[1], data[name])
		leaves, names = append(leaves, w[name]), append(names, name)
	}
	n.cost = md.build(g, n.x, w)
	fs := must.Get(g.Grad(n.cost, leaves...))(t)
	for i, f := range fs {
		n.grads[names[i]] = f
	}
	n.m = machine(t, g)
	return n
}

func (n *network) run(t *testing.T, b *ragged.Batch) float32 {
	n.x.Set(ops.Mat{Rows: b.Words(), Cols: width, Data: n.data["x"]})
	require.NoError(t, n.m.Run(b, 5))
	return n.cost.Mat().Data[0]
}

func wordRows(n int) []float32 {
	x := make([]float32, n*width)
	simd.Uniform(x, simd.Key(9, "x"), -1, 1)
	return x
}

// Every gradient against central differences of the cost.
func TestGradientsByFiniteDifferences(t *testing.T) {
	for _, md := range models {
		t.Run(md.name, func(t *testing.T) {
			b := batch(9, 6, 4, 2, 1)
			n := build(t, md, map[string][]float32{"x": wordRows(b.Words())})
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
