package models

import (
	"errors"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// Base is the attention and the predictions of another run for the reviews of a split.
type Base struct {
	Weights func(review int32) []float32 // of the attention, one a word
	P       []float32                    // [reviews, C] probabilities; only for an adversary
}

// base are the leaves of a network that hold a Base.
type base struct {
	weights *ops.Node // [N, 1]; nil where no op reads them
	answers *ops.Node // [B, C]
	buf     []float32
}

// NeedsBase reports whether Run needs Inputs.Base.
func (n *Network) NeedsBase() bool { return n.base.weights != nil }

// against returns the cost of an adversary.
func (n *base) against(g *ops.Graph, c *Classes, attention *ops.Node) []ops.Term {
	n.weights = g.Leaf("attention of the base", g.Words(), 1, false)
	n.answers = g.Leaf("answers of the base", g.Words().Reviews(), c.Logits.Cols(), false)
	return []ops.Term{
		{Node: ops.Variation(c.Logits, n.answers), Weight: 1},
		{Node: ops.Divergence(attention, n.weights), Weight: float32(-c.Adversary.Lambda)},
	}
}

// set fills the leaves for a batch.
func (n *base) set(b *ragged.Batch, from *Base) error {
	if n.weights == nil {
		return nil
	}
	if from == nil {
		return errBase
	}
	n.buf = n.buf[:0]
	for i, review := range b.Reviews {
		w := from.Weights(review)
		if len(w) != b.Offsets[i+1]-b.Offsets[i] {
			return errors.New("the base run has other words for a review than this run")
		}
		n.buf = append(n.buf, w...)
	}
	n.weights.Set(ops.Mat{Rows: len(n.buf), Cols: 1, Data: n.buf})
	if n.answers == nil {
		return nil
	}
	return n.answers.Gather(from.P, b.Reviews)
}

var errBase = errors.New("the attention weights come from another run, which has none for these texts")

// AttentionGradient returns the gradient of each word's weight [N] after a run of a network with
// gradients of the word vectors; nil where the weights do not depend on the vectors.
func (n *Network) AttentionGradient() []float32 {
	if !n.Pools() {
		return nil
	}
	m, _ := n.out.Attention.Gradient()
	return m.Data
}
