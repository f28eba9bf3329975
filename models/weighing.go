package models

import (
	"fmt"

	"imdbexp/internal/ops"
)

// Weighing says where the weights of the attention come from. What is not learned for the
// labels is what learned weights are held against, as Wiegreffe and Pinter 2019 (Attention
// is not not Explanation) do:
//
//	uniform      αᵢ = 1/n (their section 3.1)
//	frozen       by scores whose weights stay as they were drawn; nothing learns through them
//	imposed      those of another run for the same text (section 3.3)
//	adversarial  learned to answer as another run does and to look elsewhere (section 4)
type Weighing struct {
	Weights string  `key:"attention" default:"learned" choices:"learned|uniform|frozen|imposed|adversarial" help:"weights of the attention: learned for the labels; 1/n; by scores that are never trained; those of another run; or learned to answer as another run does and to look elsewhere"`
	Base    string  `key:"attention.base" needs:"attention=imposed|adversarial" help:"the run that imposes its weights, or that an adversary answers as: a name, an ID or a citation; of several that of the same seed"`
	Far     float64 `key:"attention.lambda" default:"0.001" min:"0" needs:"attention=adversarial" help:"λ of an adversary: weight of the divergence from the attention of base, beside the difference in answers"`
}

// Adversary is a cost in place of the loss (Wiegreffe and Pinter 2019, section 4):
//
//	L = TVD(p, p_base) − λ KL(α ‖ α_base), the mean over reviews
type Adversary struct{ Lambda float64 }

// BaseRun returns the setting that names another run; "" where none is needed.
func (w Weighing) BaseRun() string {
	if w.Weights == "imposed" || w.Weights == "adversarial" {
		return w.Base
	}
	return ""
}

// Imposes reports whether the weights have to come from outside, whenever the model is
// asked.
func (w Weighing) Imposes() bool { return w.Weights == "imposed" }

// LearnsWeights reports whether the scores behind the weights are trained.
func (w Weighing) LearnsWeights() bool { return w.Weights == "learned" || w.Weights == "adversarial" }

func (w Weighing) check() error {
	switch given := w.Base != ""; {
	case !given && (w.Weights == "imposed" || w.Weights == "adversarial"):
		return fmt.Errorf("attention=%s needs the run that it is about: attention.base=RUN, such as attention.base=tme9-lstm; exp report lists runs", w.Weights)
	case given && w.BaseRun() == "":
		return fmt.Errorf("attention.base=%s is of attention=imposed and attention=adversarial: leave it out, or choose one of them", w.Base)
	}
	return nil
}

func (w Weighing) adversary() *Adversary {
	if w.Weights != "adversarial" {
		return nil
	}
	return &Adversary{w.Far}
}

// weigh returns the weights of the rows x [N, ·] and their entropies: those of score
// where they are learned.
func (w Weighing) weigh(b *Builder, x *ops.Node, score func() (attention, entropy *ops.Node)) (attention, entropy *ops.Node) {
	switch {
	case w.Imposes():
		if b.imposed != nil || x.Axis() != b.g.Words() {
			b.Fail("weights of attention can be imposed on the words of a text, once")
		}
		b.imposed = b.g.Leaf("imposed", b.g.Words(), 1, false)
		return ops.Imposed(b.imposed)
	case w.Weights == "uniform":
		return ops.Uniform(x)
	case w.Weights == "frozen":
		b.held = true
		attention, entropy = score()
		b.held = false
		attention.Hold()
		entropy.Hold()
		attention.By("attention=frozen")
		return attention, entropy
	}
	return score()
}

// watch says what weights that are not learned show.
func (w Weighing) watch() string {
	switch w.Weights {
	case "uniform":
		return " The weights are uniform: what attention=learned gains beside it is all that choosing words is worth here."
	case "frozen":
		return " The weights follow from scores that are never trained: if the test accuracy is that of attention=learned, any weights would do."
	case "imposed":
		return " The weights are another run's: if they help this model more than attention=uniform does, they say something about the words, and not about that run alone."
	case "adversarial":
		return " It is trained to answer as base does while it looks elsewhere: the loss printed is that cost, not the cross-entropy. Compare how far its attention goes with how far that of another seed does."
	}
	return ""
}
