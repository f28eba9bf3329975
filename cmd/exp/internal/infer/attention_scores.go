package infer

import (
	"context"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
)

// Head is one head of a layer of self-attention, both counted from 1. Layer 0 is attention with one
// weight for each word.
type Head struct{ Layer, Head int }

// Scored are the scores of a model's heads for one review. They are valid until the function that
// gets them returns.
type Scored struct {
	Done, Of int                         // reviews
	Weighing func(head int) ops.Weighing // of a head; safe for concurrent use
}

// ScoringHeads returns the heads that score words, by layer and head, and last the attention with
// one weight for each word. It returns a LookError for a model without.
func (m *Model) ScoringHeads() ([]Head, error) {
	heads, _, err := m.scoring()
	return heads, err
}

func (m *Model) scoring() (heads []Head, nodes []*ops.Node, err error) {
	out := m.network.Output()
	if n := m.Members(); n > 1 {
		return nil, nil, LookErrorf("each of its %d networks has its own scores; use a run with members=1", n)
	}
	for l, n := range out.Layers {
		for h := range n.Cols() {
			heads, nodes = append(heads, Head{l + 1, h + 1}), append(nodes, n)
		}
	}
	if out.Attention != nil && out.Attention.Weighs() {
		heads, nodes = append(heads, Head{}), append(nodes, out.Attention)
	}
	if heads == nil && out.Attention != nil {
		return nil, nil, noScores("scores")
	}
	if heads == nil {
		return nil, nil, LookErrorf("the model does not compare words, so it has no scores")
	}
	return heads, nodes, nil
}

// ReadScores goes through a split as ReadSplit does, and calls f with the scores of the
// ScoringHeads for each review. Queries and keys are the network's; the scores are computed from
// them in float64.
func (m *Model) ReadScores(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, f func(Scored) error) error {
	heads, nodes, err := m.scoring()
	if err != nil {
		return err
	}
	split := splitOf(c, part)
	var weigh []func(review, head int) ops.Weighing // one for each head
	var of *Batch                                   // that weigh belongs to
	s := Scored{}
	_, s.Of = m.evaluated(c, split, limit)
	see := func(_ *Reading, b *Batch, i int, _ Encoded) error {
		if b != of {
			exact := ops.NewMixed()
			weigh, of = weigh[:0], b
			for _, n := range nodes {
				f, _, err := exact.Weigher(n)
				if err != nil {
					return err
				}
				weigh = append(weigh, f)
			}
		}
		s.Done++
		s.Weighing = func(h int) ops.Weighing { return weigh[h](b.place[i], max(heads[h].Head-1, 0)) }
		return f(s)
	}
	return m.eachReading(ctx, c, split, limit, see, func([]Reading) error { return nil })
}
