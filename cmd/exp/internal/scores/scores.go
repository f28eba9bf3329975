// Package scores computes how much each word of a text matters for a model's prediction.
// The tests of exp explain compare these scores.
package scores

import (
	"context"
	"fmt"
	"strings"

	"imdbexp/internal/infer"
	"imdbexp/internal/settings"
)

// Text is a text to compute scores for.
type Text struct {
	infer.Encoded
	Class  int // that the scores explain, such as the predicted one
	Number int // of the text; random scores depend on it
}

// Names returns the words of the text.
func (t *Text) Names() []string { return infer.Texts(t.Words) }

// Score is one way to measure how much each word counts.
type Score struct {
	Name       string // on command lines
	Title      string // in tables and figures
	Signed     bool   // positive: the word speaks for the class; negative: against it
	Source     string
	Definition string // in a sentence
	Slow       bool   // not computed by default

	Repeats string // why it takes many passes per text; "" for others

	needs   need
	compute func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error)
}

// Lacks returns why a model does not have the score; "" if it does.
func (s *Score) Lacks(m *infer.Model) string {
	if s.needs.has == nil || s.needs.has(m) {
		return ""
	}
	return s.needs.lack
}

// Names of scores that other packages use.
const (
	Attention = "attention"
	Gradient  = "gradient"
	Norm      = "gradnorm"

	GradientConstant = "gradconst"

	Integrated = "integrated"
	LeaveOut   = "leaveout"
	Rollout    = "rollout"
	LIME       = "lime"
	SHAP       = "shap"
	Random     = "random"
)

// all lists the scores in display order; random is last.
var all = []*Score{&attention, &gradient, &gradientConstant, &norm, &integrated, &leaveOut, &occlusion, &lime, &shap, &rollout, &weighted, &random}

// All returns the scores in display order; random is last.
func All() []*Score { return all }

// Names returns the names of all scores.
func Names() []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

// Named returns the score with the given name; nil for none.
func Named(name string) *Score {
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Lookup is Named for a name that a user has typed.
func Lookup(name string) (*Score, error) {
	if s := Named(name); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("unknown score %q%s: use %s", name, settings.Nearest(name, Names()), strings.Join(Names(), ", "))
}

// Asker computes scores with a model. It uses the model exclusively.
type Asker struct {
	Complete Completeness // of the integrated gradients so far
	Estimate *Estimate    // of the last LIME or Shapley values; nil before
	Exact    int          // maximum number of words for Shapley values from all sets of words

	seed      uint64 // of random scores
	model     *infer.Model
	gradients [2]*infer.Gradients // the second with constant attention; nil until needed
}

// New returns an Asker. Close it before the model.
func New(m *infer.Model, seed uint64) *Asker { return &Asker{seed: seed, model: m, Exact: exactWords} }

// Close frees the networks with gradients.
func (a *Asker) Close() {
	for _, g := range a.gradients {
		if g != nil {
			g.Close()
		}
	}
}

// Compute returns the score of each word of each text. It fails if the model does not have
// the score (Score.Lacks).
func (a *Asker) Compute(ctx context.Context, s *Score, texts []Text) ([][]float32, error) {
	if why := s.Lacks(a.model); why != "" {
		return nil, fmt.Errorf("%s: %s", s.Title, why)
	}
	return s.compute(ctx, a, texts)
}

// Answered returns texts with the classes that the model predicts, and their probabilities.
func (a *Asker) Answered(ctx context.Context, list []infer.Encoded) ([]Text, []float64, error) {
	out, p := make([]Text, len(list)), make([]float64, len(list))
	err := a.model.Each(ctx, list, func(i int, b *infer.Batch, k int) error {
		out[i] = Text{Encoded: list[i], Class: b.Class(k), Number: i}
		p[i] = float64(b.P(k)[out[i].Class])
		return nil
	})
	return out, p, err
}

// EachBatch cuts texts into batches and calls f with the texts of each and their places.
func (a *Asker) EachBatch(ctx context.Context, texts []Text, f func(places []int, batch []infer.Encoded) error) error {
	list := encoded(texts)
	for _, places := range a.model.Cut(list) {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := make([]infer.Encoded, len(places))
		for k, i := range places {
			batch[k] = list[i]
		}
		if err := f(places, batch); err != nil {
			return err
		}
	}
	return nil
}

// derive runs a network with gradients (see network) and returns the results of f for each text.
func (a *Asker) derive(ctx context.Context, texts []Text, constant bool, f func(d infer.Derived, word int) float32) ([][]float32, error) {
	g, err := a.network(constant)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	err = a.EachBatch(ctx, texts, func(places []int, batch []infer.Encoded) error {
		return g.Run(batch, func(k int) int { return texts[places[k]].Class }, func(k int, d infer.Derived) {
			list := make([]float32, len(batch[k].Rows))
			for word := range list {
				list[word] = f(d, word)
			}
			out[places[k]] = list
		})
	})
	return out, err
}

// network returns the network with gradients, with attention as a constant if asked.
func (a *Asker) network(constant bool) (g *infer.Gradients, err error) {
	at := &a.gradients[0]
	if constant {
		at = &a.gradients[1]
	}
	if *at == nil {
		*at, err = a.model.Gradients(constant)
	}
	return *at, err
}

// forward runs the network and returns the results of f for each text.
func (a *Asker) forward(ctx context.Context, texts []Text, f func(b *infer.Batch, k, words int) ([]float32, error)) ([][]float32, error) {
	out := make([][]float32, len(texts))
	err := a.model.Each(ctx, encoded(texts), func(i int, b *infer.Batch, k int) (err error) {
		out[i], err = f(b, k, len(texts[i].Rows))
		return err
	})
	return out, err
}

func encoded(texts []Text) []infer.Encoded {
	out := make([]infer.Encoded, len(texts))
	for i, t := range texts {
		out[i] = t.Encoded
	}
	return out
}

// need is a condition that a model must meet for a score.
type need struct {
	has  func(m *infer.Model) bool
	lack string // the message if it does not
}

var (
	vectors = need{func(m *infer.Model) bool { return m.Scorer() == nil }, "the model counts n-grams; its words have no vectors"}
	attends = need{(*infer.Model).Attends, "the model has no attention"}
	pooling = need{(*infer.Model).Pools, "the model has no attention with one weight for each word"}
	layers  = need{func(m *infer.Model) bool { return m.Depth() > 0 }, "the model has no layers of self-attention to follow the weights through"}
	values  = need{func(m *infer.Model) bool { return m.Attends() && m.Members() == 1 }, "the model has no attention, or several networks with their own weights and values"}
)

// Margin returns by how much the logit of a class exceeds the mean of the others, as
// ops.Margin does.
func Margin(logits []float32, class int) float64 {
	sum := 0.0
	for c, z := range logits {
		if c != class {
			sum += float64(z)
		}
	}
	return float64(logits[class]) - sum/float64(len(logits)-1)
}
