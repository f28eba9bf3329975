package infer

import (
	"context"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
)

// Head is one head of a layer of self-attention, which count from 1, or with Layer 0
// attention with one weight a word.
type Head struct{ Layer, Head int }

// Scored is how the heads of a model compare the words of one review, until the function that
// gets it returns.
type Scored struct {
	Done, Of int                         // reviews
	Weighing func(head int) ops.Weighing // of the heads in their order; several may be asked for at a time
}

// ScoringHeads returns the heads that score words, by layer and head, attention with one
// weight a word last. A model without is a LookError.
func (m *Model) ScoringHeads() ([]Head, error) {
	heads, _, err := m.scoring()
	return heads, err
}

func (m *Model) scoring() (heads []Head, nodes []*ops.Node, err error) {
	out := m.network.Output()
	if n := m.Members(); n > 1 {
		return nil, nil, LookErrorf("each of its %d networks has scores of its own: those of a run with members=1 can be measured", n)
	}
	for l, n := range out.Layers {
		for h := range n.Cols() {
			heads, nodes = append(heads, Head{l + 1, h + 1}), append(nodes, n)
		}
	}
	if out.Attention != nil && out.Attention.Weighs() {
		heads, nodes = append(heads, Head{}), append(nodes, out.Attention)
	}
	if heads == nil {
		return nil, nil, LookErrorf("the model compares no words: it has no scores")
	}
	return heads, nodes, nil
}

// ReadScores goes through a split as ReadSplit does, and calls f with what the
// ScoringHeads do in each review. The queries and keys are the network's own, what is
// made of them is computed in float64.
func (m *Model) ReadScores(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, f func(Scored) error) error {
	heads, nodes, err := m.scoring()
	if err != nil {
		return err
	}
	split := splitOf(c, part)
	var weigh []func(review, head int) ops.Weighing // of each head's op
	var of *Batch                                   // that they are about
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
