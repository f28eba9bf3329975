package models

import (
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// Classes is the objective of models that predict the class of each review: the cross-entropy
// of a softmax over the logits.
type Classes struct {
	Logits    *ops.Node   // [B, C]
	Smoothing float64     // of the labels, in training
	Adversary *Adversary  // replaces the cross-entropy in training; nil for none
	Members   []*ops.Node // the logits [B, C] of each network of an ensemble, which are trained apart

	loss    ops.Loss
	margins *ops.Node // with Spec.Margins
}

// classify returns the output of a model with these logits.
func classify(logits *ops.Node) Output { return Output{Objective: &Classes{Logits: logits}} }

// Classes returns the objective of a network that classifies.
func (n *Network) Classes() *Classes { return n.out.Objective.(*Classes) }

func (c *Classes) Cost(n *Network, s *Spec) []ops.Term {
	c.loss = ops.CrossEntropy(c.Logits, c.Smoothing, s.ClassWeights)
	switch {
	case s.Margins:
		c.margins = ops.Margin(c.Logits)
		return []ops.Term{{Node: c.margins, Weight: 1, Sum: true}}
	case s.Training && c.Adversary != nil:
		return n.base.against(n.g, c, n.out.Attention)
	case s.Training && c.Members != nil:
		var terms []ops.Term
		for _, z := range c.Members {
			terms = append(terms, ops.Term{Node: ops.CrossEntropy(z, c.Smoothing, s.ClassWeights).Mean, Weight: 1})
		}
		return terms
	}
	return []ops.Term{{Node: c.loss.Mean, Weight: 1}}
}

func (c *Classes) Losses(*ragged.Batch) []float32 { return c.loss.Each.Mat().Data }

func (c *Classes) Predictions(b *ragged.Batch) int { return b.Len() }

func (c *Classes) Right(b *ragged.Batch) int {
	right := 0
	for i, y := range b.Labels {
		if c.Predicted(i) == int(y) {
			right++
		}
	}
	return right
}

// Predicted returns the most probable class of review i of the last batch.
func (c *Classes) Predicted(i int) int { return simd.ArgMax(c.loss.Probs.Mat().Row(i)) }

func (c *Classes) Result() (*ops.Node, string) {
	if c.Logits.Op() == "linear" {
		c.Logits.Call("z")
	}
	return c.Logits, "softmax of z: the class"
}

// Margins returns the margins of the labels [B], of a network with Spec.Margins.
func (n *Network) Margins() []float32 { return n.Classes().margins.Mat().Data }

// Probs returns the class probabilities [B, C].
func (n *Network) Probs() ops.Mat { return n.Classes().loss.Probs.Mat() }

// Logits returns the logits [B, C].
func (n *Network) Logits() ops.Mat { return n.Classes().Logits.Mat() }

// Members returns the number of networks in an ensemble; 1 for a single network.
func (n *Network) Members() int {
	c, classifies := n.out.Objective.(*Classes)
	if !classifies {
		return 1
	}
	return max(1, len(c.Members))
}
