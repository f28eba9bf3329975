package models

import (
	"cmp"
	"fmt"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/ops"
)

// Builder builds the graph of a model: it makes weights and adds layers.
type Builder struct {
	g       *ops.Graph
	weights *Weights
	nodes   map[string]*ops.Node // the weights of this graph
	spec    *Spec
	words   *ops.Node // the word vectors [N, d]
	means   *ops.Node // their means [B, d], computed once if the vectors are frozen
	scores  *ops.Node // the scores of n-grams [B, C]; nil where none are counted
	plan    bool      // the graph is only read, never run
	frozen  bool      // new weights are not trained
	part    string    // prefix of the names of weights
	imposed *ops.Node // attention weights of another run [N, 1]; nil without
	err     error
}

// NewBuilder returns a builder that adds to the graph.
func NewBuilder(g *ops.Graph, s *Spec) *Builder {
	return &Builder{g: g, weights: s.Weights, nodes: map[string]*ops.Node{}, spec: s}
}

// Graph returns the graph that is built.
func (b *Builder) Graph() *ops.Graph { return b.g }

// Spec returns what the graph is built from.
func (b *Builder) Spec() *Spec { return b.spec }

// Err returns the first error of the builder or its graph.
func (b *Builder) Err() error { return cmp.Or(b.err, b.g.Err()) }

// Machine compiles the graph.
func (b *Builder) Machine() (*ops.Machine, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	return b.g.Machine()
}

// Weight returns a trained matrix [rows, cols], uniform in ±1/√fan at first, like PyTorch's linear
// and recurrent layers. The same name gives the same matrix.
func (b *Builder) Weight(name string, rows, cols, fan int) *ops.Node {
	return b.Embeddings(name, rows, cols, Rsqrt(fan))
}

// Constant returns a trained matrix that starts with the same value everywhere.
func (b *Builder) Constant(name string, rows, cols int, value float32) *ops.Node {
	return b.weight(name, rows, cols, constant(value))
}

// Embeddings is Weight, uniform in ±bound at first.
func (b *Builder) Embeddings(name string, rows, cols int, bound float32) *ops.Node {
	return b.weight(name, rows, cols, b.weights.uniform(bound))
}

// weight returns the weight of that name; begin fills a new one.
func (b *Builder) weight(name string, rows, cols int, begin filler) *ops.Node {
	name = b.part + name
	if n := b.nodes[name]; n != nil {
		return n
	}
	if b.plan { // shapes without numbers
		return b.param(name, rows, cols, nil)
	}
	list := &b.weights.list
	if b.frozen {
		list = &b.weights.states
	}
	w, err := b.weights.made(list, name, rows, cols, begin)
	if err != nil {
		b.Fail("%w", err)
		w = &Weight{Rows: 1, Cols: 1, Data: make([]float32, 1)}
	}
	return b.param(w.Name, w.Rows, w.Cols, w.Data)
}

func (b *Builder) param(name string, rows, cols int, data []float32) *ops.Node {
	n := b.g.Param(name, rows, cols, data).Call(letter(name))
	b.nodes[name] = n
	return n
}

// Repeat builds n layers of the given kind, each on the result of the one before; i counts
// from 0. Pictures show the first.
func (b *Builder) Repeat(kind string, n int, x *ops.Node, build func(i int, x *ops.Node) *ops.Node) *ops.Node {
	in, first := x, (*ops.Node)(nil)
	for i := range n {
		x = build(i, x)
		if first == nil {
			first = x
		}
	}
	ops.Repeated(format.Counted(n, kind), in, first, x)
	return x
}

// Fail keeps the first error, for NewNetwork to return.
func (b *Builder) Fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// Linear is y = x·W + b with the weights NAME.W [in, out] and NAME.b [1, out].
func (b *Builder) Linear(name string, x *ops.Node, out int) *ops.Node {
	in := x.Cols()
	return ops.Linear(x, b.Weight(name+".W", in, out, in), b.Weight(name+".b", 1, out, in))
}

// LSTM is one layer of hidden width h with the weights NAME.Wx, NAME.Wh, NAME.b.
func (b *Builder) LSTM(name string, x *ops.Node, h int, reverse bool) (states, last *ops.Node) {
	wx, wh, bias := b.LSTMWeights(name, x.Cols(), h)
	return ops.LSTM(x, wx, wh, bias, reverse)
}

// LSTMWeights returns the weights of LSTM.
func (b *Builder) LSTMWeights(name string, in, h int) (wx, wh, bias *ops.Node) {
	return b.Weight(name+".Wx", in, 4*h, h), b.Weight(name+".Wh", h, 4*h, h), b.Weight(name+".b", 1, 4*h, h)
}

// Mean averages the rows of each review. The means of frozen word vectors do not change in
// training: they are computed once and are a leaf of the graph.
func (b *Builder) Mean(x *ops.Node) *ops.Node {
	if x == b.words && b.means != nil {
		return b.means
	}
	return ops.Mean(x)
}

// activate applies the activation of that name: none, relu, tanh or gelu.
func activate(name string, x *ops.Node) *ops.Node {
	switch name {
	case "relu":
		return ops.ReLU(x)
	case "tanh":
		return ops.Tanh(x)
	case "gelu":
		return ops.GELU(x)
	}
	return x
}

// letters are the names of weights in equations.
var letters = map[string]string{
	"query.W": "Q", "key.W": "K", "key.b": "c", "value.W": "V", "value.b": "c", "context.W": "W_c",
	"W1.W": "W₁", "W2.W": "W₂", "start.W": "W_s", "state.W": "W_s", "deep.W": "U", "gate.W": "U", "gate.b": "c",
	"ffn1.W": "W₁", "ffn1.b": "b₁", "ffn2.W": "W₂", "ffn2.b": "b₂",
}

// letter returns the name of a weight in equations: its own letter, such as W₁ for attention.W1,
// or the letter of its layer, such as Q for layer1.Q.W.
func letter(name string) string {
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	if len(parts) > 1 {
		before := parts[len(parts)-2]
		if l := letters[before+"."+last]; l != "" {
			return l
		}
		if last == "W" && len(before) == 1 && before[0] <= 'Z' {
			return before
		}
	}
	if n := len(last); n == 2 && last[1] >= '0' && last[1] <= '9' {
		return last[:1] + string('₀'+rune(last[1]-'0'))
	}
	return last
}

// NormEpsilon is added to the variance by batch and layer norm. It and normMomentum are PyTorch's
// defaults.
const (
	NormEpsilon  = 1e-5
	normMomentum = 0.1
)

// norm is the normalisation of that kind (batch, layer or none) with the weights NAME.scale and
// NAME.shift [1, d]. The running statistics of batch norm are states, saved with the weights.
func (b *Builder) norm(kind, name string, x *ops.Node) *ops.Node {
	if kind == "batch" {
		return b.batchNorm(name, x, ops.BatchNorming{})
	}
	d := x.Cols()
	if kind == "layer" {
		return ops.LayerNorm(x, b.Constant(name+".scale", 1, d, 1), b.Constant(name+".shift", 1, d, 0), NormEpsilon)
	}
	return x
}

// batchNorm is a batch norm with PyTorch's defaults.
func (b *Builder) batchNorm(name string, x *ops.Node, o ops.BatchNorming) *ops.Node {
	d := x.Cols()
	o.Epsilon, o.Momentum = NormEpsilon, normMomentum
	stats, err := b.weights.stats(b.part+name, d)
	if err != nil {
		b.Fail("%w", err)
		stats = &ops.BatchStats{Mean: make([]float32, d), Var: make([]float32, d)}
	}
	return ops.BatchNorm(x, b.Constant(name+".scale", 1, d, 1), b.Constant(name+".shift", 1, d, 0), stats, o)
}

// slotNorm normalises each position across the reviews of the batch.
func (b *Builder) slotNorm(name string, x *ops.Node, slots int, eps float64) *ops.Node {
	return ops.SlotNorm(x, b.Constant(name+".scale", slots, 1, 1), b.Constant(name+".shift", slots, 1, 0), eps)
}
