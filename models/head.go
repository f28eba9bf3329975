package models

import (
	"fmt"

	"imdbexp/internal/ops"
)

// Head is the end of every model: a linear classifier on one vector a review.
type Head struct {
	Dropout    float64 `key:"dropout" min:"0" max:"0.95" help:"share of the review's vector dropped before the classifier"`
	ReLULogits bool    `key:"slip.relu_logits" help:"a ReLU on the logits: one may be dead from the start"`
}

func (h Head) classify(b *Builder, t *ops.Node) *ops.Node {
	z := b.Linear("out", ops.Dropout(t.Call("t̂"), "head", float32(h.Dropout)), b.spec.Classes).Call("z")
	if h.ReLULogits {
		z = ops.ReLU(z).By("slip.relu_logits")
	}
	return z
}

// Penalty presses the entropy of the attention down: loss + λ·H.
type Penalty struct {
	Weighing
	Lambda     float64 `key:"lambda" min:"0" help:"weight of the attention's entropy in the loss (0: none)"`
	SumEntropy bool    `key:"slip.sum_entropy" needs:"lambda!=0" help:"sum the entropies over the batch instead of averaging them"`
}

func (p Penalty) terms(entropy *ops.Node) []ops.Term {
	if p.Lambda == 0 {
		return nil
	}
	return []ops.Term{{Node: entropy, Weight: float32(p.Lambda), Sum: p.SumEntropy}}
}

// Check implements Checker.
func (p Penalty) Check() error {
	if p.Penalised() && p.Weights != "learned" {
		return fmt.Errorf("attention=%s: lambda=%g is of weights that are learned for the labels' sake: leave it out", p.Weights, p.Lambda)
	}
	return p.Weighing.check()
}

// output is what the model makes of logits and attention.
func (p Penalty) output(logits, attention, entropy *ops.Node) Output {
	return Output{Logits: logits, Attention: attention, Entropy: entropy, Penalties: p.terms(entropy), Adversary: p.adversary()}
}

// Penalised reports whether the entropy of the attention is part of the loss.
func (p Penalty) Penalised() bool { return p.Lambda != 0 }

// watch adds what the penalty is about.
func (p Penalty) watch(text string) string {
	text += p.Weighing.watch()
	if !p.Penalised() {
		return text
	}
	return text + " The penalty presses the entropy of the attention down: watch it go towards 0, which is one word a review, and what that costs in test accuracy."
}
