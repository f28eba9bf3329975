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

// classify returns the output of a model by a vector for each review [B, d].
func (h Head) classify(b *Builder, t *ops.Node) Output {
	z := b.Linear("out", ops.Dropout(t.Call("t̂"), "head", float32(h.Dropout)), b.spec.Out).Call("z")
	if h.ReLULogits {
		z = ops.ReLU(z).By("slip.relu_logits")
	}
	return classify(z)
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

// attend adds the attention, and what training makes of it, to an output.
func (p Penalty) attend(out Output, attention, entropy *ops.Node) Output {
	out.Attention, out.Entropy, out.Penalties = attention, entropy, p.terms(entropy)
	out.Objective.(*Classes).Adversary = p.adversary()
	return out
}

// Penalised reports whether the entropy of the attention is part of the loss.
func (p Penalty) Penalised() bool { return p.Lambda != 0 }

func (p *Penalty) penalty() *Penalty { return p }

// PenaltyOf returns the settings of a model's attention with one weight for each word; those of
// learned weights without a penalty where the model has no such settings.
func PenaltyOf(m Model) Penalty {
	if p, has := m.(interface{ penalty() *Penalty }); has {
		return *p.penalty()
	}
	return Penalty{Weighing: Weighing{Weights: "learned"}}
}

// watch adds what the penalty is about.
func (p Penalty) watch(text string) string {
	text += p.Weighing.watch()
	if !p.Penalised() {
		return text
	}
	return text + " The penalty presses the entropy of the attention down: watch it go towards 0, which is one word a review, and what that costs in test accuracy."
}

// Wide puts what the n-grams of a review come to beside what a network has read, as two
// inputs of one classifier (Cheng et al. 2016, Wide & Deep Learning):
//
//	t̂ = [c; s],  z = W·t̂ + b
//
// s [B, C] are the scores of a Counting model that has been fitted before. Those of the
// train reviews come from fits without them, in folds (stacking, Wolpert 1992): scores of
// reviews that it knows by heart would teach the classifier to trust it alone.
type Wide struct {
	Counter string `key:"wide" default:"none" choices:"none|nbsvm" help:"nbsvm: what model nbsvm, of three words and c=0.1, makes of a review's n-grams is an input of the classifier, too"`
	Folds   int    `key:"wide.folds" default:"5" min:"2" max:"50" needs:"wide=nbsvm" help:"parts of train, each of which gets its scores from a fit on the others"`
}

// Names of the n-grams and of their weights among what a run keeps beside its own.
const (
	WideFeatures = "wide.features"
	WidePrefix   = "wide."
)

// WideWeights finds those weights by the names that they have where they were fitted.
func WideWeights(kept func(name string, rows, cols int) ([]float32, error)) func(name string, rows, cols int) ([]float32, error) {
	return func(name string, rows, cols int) ([]float32, error) { return kept(WidePrefix+name, rows, cols) }
}

// WideInput returns the model whose scores are the second input of m's classifier, and the
// number of folds; nil for none.
func WideInput(m Model) (counting Counting, folds int) {
	l, is := m.(*LSTM)
	if !is || l.Counter == "none" {
		return nil, 0
	}
	// The settings are written out because the defaults of nbsvm may change: the ID of a run
	// says no more than wide=nbsvm.
	return &NBSVM{Ngrams: Ngrams{Longest: 3, MinCount: 2}, Loss: "logistic", Alpha: 1, Beta: 1, C: 0.1, Convex: Convex{Tolerance: 0.001}}, l.Folds
}

// join puts the scores behind c [B, d].
func (w *Wide) join(b *Builder, c *ops.Node) *ops.Node {
	if w.Counter == "none" {
		return c
	}
	if b.scores == nil {
		b.scores = b.g.Leaf("n-grams", b.g.Words().Reviews(), b.spec.Out, false)
	}
	return ops.Concat(c, b.scores)
}
