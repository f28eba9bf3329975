package scores

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/cmd/exp/internal/infer"
)

// Options of an Asker.
type Options struct {
	Seed uint64 // of chance
}

// Asker computes scores by a model, which nobody else may run meanwhile.
type Asker struct {
	Options
	Complete Completeness // of the integrated gradients so far

	model     *infer.Model
	gradients *infer.Gradients // nil until they are asked for
}

// New returns an Asker; close it before the model.
func New(m *infer.Model, o Options) *Asker {
	return &Asker{Options: o, model: m}
}

// Close frees what has been built to ask.
func (a *Asker) Close() error {
	if a.gradients == nil {
		return nil
	}
	return a.gradients.Close()
}

// Model returns the model that is asked.
func (a *Asker) Model() *infer.Model { return a.model }

// Of returns the score of each word of each text. It is an error if the model has none
// (Score.Lacks).
func (a *Asker) Of(ctx context.Context, s *Score, texts []Text) ([][]float32, error) {
	if why := s.Lacks(a.model); why != "" {
		return nil, fmt.Errorf("%s: %s", s.Title, why)
	}
	out, err := s.of(ctx, a, texts)
	if err != nil {
		return nil, err
	}
	for i, list := range out {
		if len(list) != len(texts[i].Rows) {
			return nil, fmt.Errorf("%s: %d numbers for %d words", s.Title, len(list), len(texts[i].Rows))
		}
	}
	return out, nil
}

// Answered are texts with the classes that the model predicts.
func (a *Asker) Answered(ctx context.Context, list []infer.Encoded) ([]Text, error) {
	out := make([]Text, len(list))
	err := a.model.Each(ctx, list, func(i int, b *infer.Batch, k int) error {
		out[i] = Text{Encoded: list[i], Class: b.Class(k), Number: i}
		return nil
	})
	return out, err
}

// derive runs the network with gradients on all texts.
func (a *Asker) derive(ctx context.Context, texts []Text, f func(i int, d infer.Derived)) error {
	g, err := a.network()
	if err != nil {
		return err
	}
	list := encoded(texts)
	for _, group := range a.model.Cut(list) {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := make([]infer.Encoded, len(group))
		for k, i := range group {
			part[k] = list[i]
		}
		if err := g.Run(part, func(k int) int { return texts[group[k]].Class }, func(k int, d infer.Derived) { f(group[k], d) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *Asker) network() (g *infer.Gradients, err error) {
	if a.gradients == nil {
		a.gradients, err = a.model.Gradients()
	}
	return a.gradients, err
}

func encoded(texts []Text) []infer.Encoded {
	out := make([]infer.Encoded, len(texts))
	for i, t := range texts {
		out[i] = t.Encoded
	}
	return out
}

// eachText asks the model about the texts as they are.
func (a *Asker) eachText(ctx context.Context, texts []Text, f func(i int, b *infer.Batch, k int) error) error {
	return a.model.Each(ctx, encoded(texts), f)
}

var errNoAttention = errors.New("the model has no attention")

func noAttention(m *infer.Model) string {
	if m.Attends() {
		return ""
	}
	return errNoAttention.Error()
}

// noNorms says why a model has no values that one attention, or a layer's, weighs.
func noNorms(m *infer.Model) string {
	if n := m.Members(); n > 1 && m.Attends() {
		return fmt.Sprintf("each of its %d networks has weights and values of its own", n)
	}
	return noAttention(m)
}

func noLayers(m *infer.Model) string {
	if m.Depth() > 0 {
		return ""
	}
	return "the model has no layers of self-attention, through which weights could be followed"
}

// Margin is by how much the logit of a class lies above the mean of the others, as
// ops.Margin.
func Margin(logits []float32, class int) float64 {
	sum := 0.0
	for c, z := range logits {
		if c != class {
			sum += float64(z)
		}
	}
	return float64(logits[class]) - sum/float64(len(logits)-1)
}
