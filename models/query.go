package models

import "imdbexp/internal/ops"

// Query attends with a query of each review's own, made from its mean:
//
//	q(t) = Q·x̄ + b,  αᵢ = softmaxᵢ(q(t)·xᵢ),  t̂ = Σᵢ αᵢ xᵢ
type Query struct {
	Head
	Penalty
	Keys
}

func init() {
	register(Info{
		Name: "query", Title: "attention with a query for each review",
		Source: "TME 9, section 1.3",
		New:    func() Model { return &Query{} },
	})
}

// Equation implements Equator.
func (m *Query) Equation() []string {
	return append(m.weights(m.Keys.equation("x")...), "t̂ = Σᵢ αᵢ xᵢ", "z = W·t̂ + b")
}

// Watch implements Watcher.
func (m *Query) Watch() string {
	return m.Penalty.watch("The query comes from the review's own mean, so that a word may count more in one review than in another. " +
		"Watch the gap between train and test accuracy, and whether the test accuracy is above that of a single query for all reviews.")
}

// Build implements Model.
func (m *Query) Build(b *Builder, x *ops.Node) Output {
	a, h := m.weigh(b, x, func() (a, h *ops.Node) {
		return ops.Attend(m.query(b, b.Mean(x)), m.keys(b, x), 1) // [N, 1], [B, 1]
	})
	t := ops.WeightedSum(a, x) // [B, d]
	return m.output(m.classify(b, t), a, h)
}
