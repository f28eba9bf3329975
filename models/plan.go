package models

import "imdbexp/internal/ops"

// plan builds a model's graph for training without numbers, for who wants to look at it.
// The width of the word vectors is one that most numbers of heads divide, and that no
// setting asks for.
func plan(m Model) (words *ops.Node, out Output) {
	const classes, most = 2, 64
	for d := plannedWidth; d < plannedWidth+most; d++ {
		g := ops.NewPlan(true)
		b := newBuilder(g, &Spec{Model: m, Weights: NewWeights(0), Dim: d, Classes: classes, Training: true})
		b.plan = true
		words = g.Leaf("words", g.Words(), d, false)
		if out = m.Build(b, words); b.err == nil && g.Err() == nil {
			return words, out
		}
	}
	return words, Output{}
}

// plannedWidth is above what settings of widths allow.
const plannedWidth = 5040
