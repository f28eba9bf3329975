package models

import (
	"fmt"

	"imdbexp/internal/ops"
)

// Weighing chooses the source of the attention weights. Weights that are not learned for the
// labels are the controls of Wiegreffe and Pinter 2019 (Attention is not not Explanation):
//
//	uniform      αᵢ = 1/n (their section 3.1)
//	frozen       from scores whose parameters keep their random initial values
//	imposed      the weights of another run for the same text (section 3.3)
//	adversarial  trained to predict like another run with a different attention (section 4)
type Weighing struct {
	Weights    string  `key:"attention" default:"learned" choices:"learned|uniform|frozen|imposed|adversarial" help:"attention weights: learned for the labels; 1/n; from scores that are never trained; the weights of another run; or trained to predict like another run with a different attention"`
	Softmax    string  `key:"attention.softmax" default:"softmax" choices:"softmax|sparsemax|entmax-1.5" needs:"attention=learned|frozen|adversarial" help:"how scores become weights: softmax gives every word a weight, sparsemax (Martins and Astudillo 2016) gives most words 0, entmax-1.5 (Peters et al. 2019) lies between them"`
	Base       string  `key:"attention.base" needs:"attention=imposed|adversarial" help:"the run that the weights are taken from, or that an adversary imitates: a name, an ID or a citation; of several the one with the same seed"`
	Divergence float64 `key:"attention.lambda" default:"0.001" min:"0" needs:"attention=adversarial" help:"λ of an adversary: weight of the divergence from the attention of base, relative to the difference in predictions"`
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

// Imposes reports whether the weights come from another run, also in evaluation.
func (w Weighing) Imposes() bool { return w.Weights == "imposed" }

// LearnsWeights reports whether the scores of the weights are trained.
func (w Weighing) LearnsWeights() bool { return w.Weights == "learned" || w.Weights == "adversarial" }

func (w Weighing) check() error {
	switch given := w.Base != ""; {
	case !given && (w.Weights == "imposed" || w.Weights == "adversarial"):
		return fmt.Errorf("attention=%s needs another run: add attention.base=RUN, such as attention.base=tme9-lstm; exp report lists runs", w.Weights)
	case given && w.BaseRun() == "":
		return fmt.Errorf("attention.base=%s needs attention=imposed or attention=adversarial: choose one of them, or omit it", w.Base)
	}
	return nil
}

func (w Weighing) adversary() *Adversary {
	if w.Weights != "adversarial" {
		return nil
	}
	return &Adversary{w.Divergence}
}

// normalisers are the choices of attention.softmax.
var normalisers = map[string]ops.Normaliser{"softmax": ops.Softmax, "sparsemax": ops.Sparsemax, "entmax-1.5": ops.Entmax15}

// Weigh returns the attention weights of the rows x [N, ·] and their entropies; score computes
// learned ones by Attend.
func (w Weighing) Weigh(b *Builder, x *ops.Node, score func() (attention, entropy *ops.Node)) (attention, entropy *ops.Node) {
	b.frozen = w.Weights == "frozen"
	switch {
	case w.Imposes():
		if b.imposed != nil || x.Axis() != b.g.Words() {
			b.Fail("attention weights of another run can be used once, for the words of a text")
		}
		b.imposed = b.g.Leaf("imposed", b.g.Words(), 1, false)
		return ops.Imposed(b.imposed)
	case w.Weights == "uniform":
		return ops.Uniform(x)
	}
	attention, entropy = score()
	attention.Normalise(normalisers[w.Softmax])
	if b.frozen {
		attention.By("attention=frozen")
	}
	if b.frozen || b.spec.Constant {
		attention.Hold()
		entropy.Hold()
	}
	b.frozen = false
	return attention, entropy
}
