package models

import "imdbexp/internal/ops"

// Query attends with a query for each review, made from the mean of its words:
//
//	q(t) = Q·x̄ + b,  αᵢ = softmaxᵢ(q(t)·xᵢ),  t̂ = Σᵢ αᵢ xᵢ
type Query struct {
	Head
	Penalty
	Keys
}

func init() {
	Register(Info{
		Name: "query", Title: "attention with a query for each review",
		Source: "TME 9, section 1.3",
		New:    func() Model { return &Query{} },
		Watch:  "Watch the gap between train and test accuracy, and whether the test accuracy is higher than with a single query for all reviews.",
	})
}

func (m *Query) Build(b *Builder, x *ops.Node) Output {
	a, h := m.Weigh(b, x, func() (a, h *ops.Node) {
		return ops.Attend(m.query(b, b.Mean(x)), m.keys(b, x), 1) // [N, 1], [B, 1]
	})
	t := ops.WeightedSum(a, x) // [B, d]
	return m.Attend(m.Classify(b, t), a, h)
}

// Keys are the settings of queries made from the mean, and of their keys:
//
//	q(t) = f(Q·x̄ + b),  αᵢ = softmaxᵢ(q(t)·k(xᵢ)),  k(x) = g(K·x + c) or x
//
// The published report has neither f nor k.
type Keys struct {
	Map   string `key:"key.map" default:"none" choices:"none|linear|relu|tanh" needs:"attention=learned|frozen|adversarial" help:"keys that q(t) is compared with: the words, or g(K·x + c) with this g"`
	Query string `key:"query.activation" default:"none" choices:"none|relu|tanh" needs:"attention=learned|frozen|adversarial" help:"f in q(t) = f(Q·mean + b)"`
}

// query returns q(t) [B, k] of the mean of rows.
func (k *Keys) query(b *Builder, mean *ops.Node) *ops.Node {
	return activate(k.Query, b.Linear("query", mean, mean.Cols())).Call("q(t)")
}

// keys returns k(x) [N, k].
func (k *Keys) keys(b *Builder, x *ops.Node) *ops.Node {
	if k.Map == "none" {
		return x
	}
	return activate(k.Map, b.Linear("key", x, x.Cols())).Call("k(·)")
}
