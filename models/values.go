package models

import "imdbexp/internal/ops"

// Values is Query with learned values:
//
//	t̂ = Σᵢ αᵢ v(xᵢ),  v(x) = f(V·x + c)
//
// Without an activation f it can express no more than Query, because
// Σ αᵢ v(xᵢ) = V(Σ αᵢ xᵢ) + c: V folds into the classifier.
type Values struct {
	Head
	Penalty
	Value
	Keys
}

// Value is the map from words to values.
type Value struct {
	Activation string `key:"value.activation" default:"none" choices:"none|relu|tanh" help:"f in v(x) = f(V·x + c)"`
}

func init() {
	Register(Info{
		Name: "values", Title: "a query for each review and learned values",
		Source: "TME 9, section 1.3",
		New:    func() Model { return &Values{} },
		Watch: "A linear v adds nothing that the classifier cannot do itself; with value.activation the values can express more than the word vectors. " +
			"Compare test accuracy and test loss with those of query, the model without values.",
	})
}

func (m *Values) Build(b *Builder, x *ops.Node) Output {
	a, h := m.Weigh(b, x, func() (a, h *ops.Node) {
		return ops.Attend(m.query(b, b.Mean(x)), m.keys(b, x), 1) // [N, 1], [B, 1]
	})
	t := m.sum(b, a, x) // [B, d]
	return m.Attend(m.Classify(b, t), a, h)
}

// sum returns Σᵢ αᵢ v(xᵢ) [B, d]. A linear v commutes with the sum, since the
// weights add up to one: it is applied to B rows instead of N.
func (v Value) sum(b *Builder, a, x *ops.Node) *ops.Node {
	each := func() *ops.Node {
		return ops.WeightedSum(a, activate(v.Activation, b.Linear("value", x, x.Cols())).Call("v(·)"))
	}
	if v.Activation == "none" {
		return b.Linear("value", ops.WeightedSum(a, x), x.Cols()).Form(each)
	}
	return each()
}
