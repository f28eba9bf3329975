package models

import "imdbexp/internal/ops"

// Simple attends with one learned query for the whole corpus:
//
//	αᵢ = softmaxᵢ(q·xᵢ),  t̂ = Σᵢ αᵢ xᵢ
type Simple struct {
	Head
	Penalty
}

func init() {
	Register(Info{
		Name: "simple", Title: "attention with one global query",
		Source: "TME 9, section 1.2",
		New:    func() Model { return &Simple{} },
		Watch: "One query for all reviews: a word similar to it counts more in every review. " +
			"Compare the test accuracy with model mean, and watch the entropy of the attention between log n (uniform) and 0 (one word).",
	})
}

func (m *Simple) Build(b *Builder, x *ops.Node) Output {
	d := x.Cols()
	a, h := m.Weigh(b, x, func() (a, h *ops.Node) {
		return ops.Attend(b.Weight("q", 1, d, d), x, 1) // [N, 1], [B, 1]
	})
	t := ops.WeightedSum(a, x) // [B, d]
	return m.Attend(m.Classify(b, t), a, h)
}
