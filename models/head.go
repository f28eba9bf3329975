package models

import (
	"fmt"

	"imdbexp/internal/ops"
)

// Head is the end of every model: a linear classifier on one vector a review.
type Head struct {
	Dropout    float64 `key:"dropout" min:"0" max:"0.95" help:"share of the review's vector that is dropped before the classifier"`
	ReLULogits bool    `key:"slip.relu_logits" help:"a ReLU on the logits: one may be dead from the start"`
}

// Classify returns the output of a model by a vector for each review [B, d].
func (h Head) Classify(b *Builder, t *ops.Node) Output {
	if t.Axis() != b.g.Words().Reviews() {
		b.Fail("the classifier needs a row for each review, such as those of Mean or WeightedSum")
	}
	z := b.Linear("out", ops.Dropout(t.Call("t̂"), "head", float32(h.Dropout)), b.spec.Out).Call("z")
	if h.ReLULogits {
		z = ops.ReLU(z).By("slip.relu_logits")
	}
	return classify(z)
}

// Penalty adds the entropy of the attention to the loss, to make it smaller: loss + λ·H.
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

func (p Penalty) Check() error {
	if p.Penalised() && p.Weights != "learned" {
		return fmt.Errorf("lambda=%g penalises learned weights; omit it with attention=%s", p.Lambda, p.Weights)
	}
	return p.Weighing.check()
}

// Attend adds the attention, and what training makes of it, to an output.
func (p Penalty) Attend(out Output, attention, entropy *ops.Node) Output {
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

// Wide gives the classifier a second input: the scores of a bag-of-n-grams model (Cheng et al.
// 2016, Wide & Deep Learning):
//
//	t̂ = [c; s],  z = W·t̂ + b
//
// s [B, C] are the scores of a Counting model that was fitted before. The scores of the train
// reviews come from fits on the other folds (stacking, Wolpert 1992), because scores of reviews
// that it was fitted on would teach the classifier to trust it alone.
type Wide struct {
	Counter string `key:"wide" default:"none" choices:"none|nbsvm" help:"nbsvm: the scores of model nbsvm, with n-grams of up to three words and c=0.1, are a second input of the classifier"`
	Folds   int    `key:"wide.folds" default:"5" min:"2" max:"50" needs:"wide=nbsvm" help:"parts of train; the scores of each come from a fit on the others"`
}

// Names of the n-grams and of their weights among the tensors of a run.
const (
	WideFeatures = "wide.features"
	WidePrefix   = "wide."
)

// WideWeights finds those weights by their names in the Counting model.
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

// join appends the scores to c [B, d].
func (w *Wide) join(b *Builder, c *ops.Node) *ops.Node {
	if w.Counter == "none" {
		return c
	}
	if b.scores == nil {
		b.scores = b.g.Leaf("n-grams", b.g.Words().Reviews(), b.spec.Out, false)
	}
	return ops.Concat(c, b.scores)
}

// Pooling turns the words of a review into one vector.
type Pooling struct {
	Pool string `key:"pool" default:"mean" choices:"mean|cls|attention" help:"mean of the words, a learned word [CLS] before them, or attention with one learned query"`
}

// begin puts [CLS] before the words for pool=cls.
func (p *Pooling) begin(b *Builder, x *ops.Node) *ops.Node {
	if p.Pool == "cls" {
		return ops.Prepend(x, b.Constant("cls", 1, x.Cols(), 1))
	}
	return x
}

// end classifies by one vector t̂ [B, d] of each review's rows x.
func (p *Pooling) end(b *Builder, x *ops.Node, h Head, out Output) Output {
	var t *ops.Node
	switch p.Pool {
	case "cls":
		t = ops.First(x)
	case "attention":
		out.Attention, out.Entropy = ops.Attend(b.Weight("pool.q", 1, x.Cols(), x.Cols()), x, 1)
		t = ops.WeightedSum(out.Attention, x)
	default:
		t = ops.Mean(x)
	}
	out.Words, out.Objective = x, h.Classify(b, t).Objective
	return out
}

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
		attention.Detach()
		entropy.Detach()
	}
	b.frozen = false
	return attention, entropy
}
