package models

import "imdbexp/internal/ops"

// Mean is the baseline without attention:
//
//	t̂ = (1/n) Σᵢ xᵢ,  z = W·t̂ + b
type Mean struct{ Head }

func init() {
	Register(Info{
		Name: "mean", Title: "uniform mean of the word vectors",
		Source: "TME 9, section 1.1",
		New:    func() Model { return &Mean{} }, Unordered: true,
		Watch: "Its test accuracy is the baseline for every other model; train and test stay close, because so few weights cannot overfit.",
	})
}

func (m *Mean) Build(b *Builder, x *ops.Node) Output {
	return m.Classify(b, b.Mean(x)) // [B, d] → [B, C]
}
