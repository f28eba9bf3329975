package infer

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/internal/ops"
)

// WordTally is the attention to a word of the vocabulary over many reviews.
type WordTally struct {
	Word    string  `json:"word"`
	Known   bool    `json:"vector"` // it has a vector
	Count   int     `json:"count"`  // occurrences
	Ratio   float64 `json:"ratio"`  // mean of weight × choices: above 1 is more than an equal share
	Share   float64 `json:"share"`  // mean over all reviews of its share of the attention
	Classes []int   `json:"labels"` // [C] occurrences in the reviews of each label
}

// Class returns the label in whose reviews the word occurs most, and its share of
// the occurrences in labelled reviews; -1 without any.
func (w *WordTally) Class() (class int, share float64) {
	sum, most := 0, 0
	for c, n := range w.Classes {
		sum += n
		if n > w.Classes[most] {
			most = c
		}
	}
	if sum == 0 {
		return -1, 0
	}
	return most, float64(w.Classes[most]) / float64(sum)
}

// Tally sums the attention of each word of a corpus's vocabulary; its memory does not grow with the
// number of reviews.
type Tally struct {
	Reviews, Words int

	model  *Model
	corpus *dataset.Corpus
	sums   []WordTally // [V] with sums in place of means
}

// NewTally returns an empty Tally for the readings of ReadSplit.
func (m *Model) NewTally(c *dataset.Corpus) *Tally {
	t := &Tally{model: m, corpus: c, sums: make([]WordTally, len(c.Vocab.Words))}
	for id := range t.sums {
		t.sums[id].Classes = make([]int, len(c.Classes))
	}
	return t
}

// Add counts the words of a review.
func (t *Tally) Add(r *Reading) {
	t.Reviews++
	t.Words += len(r.Words)
	for i, id := range r.Words {
		w, sum := float64(r.Attended.Weights[i]), &t.sums[id]
		sum.Count++
		sum.Share += w
		sum.Ratio += float64(w * float64(r.Attended.Choices))
		if r.Label >= 0 {
			sum.Classes[r.Label]++
		}
	}
}

// List returns the words that occur at least minCount times, by falling ratio, then alphabetically.
func (t *Tally) List(minCount int) []WordTally {
	var out []WordTally
	for id, w := range t.sums {
		if w.Count < max(1, minCount) {
			continue
		}
		w.Word = t.corpus.Vocab.Words[id]
		w.Known = t.model.row(w.Word) != embedding.OOVRow
		w.Ratio, w.Share = w.Ratio/float64(w.Count), w.Share/float64(t.Reviews)
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b WordTally) int {
		return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), strings.Compare(a.Word, b.Word))
	})
	return out
}

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
// one weight for each word, with their ops. It returns a LookError for a model without.
func (m *Model) ScoringHeads() (heads []Head, nodes []*ops.Node, err error) {
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
	heads, nodes, err := m.ScoringHeads()
	if err != nil {
		return err
	}
	split := m.split(c, part, limit)
	var weigh []func(review, head int) ops.Weighing // one for each head
	var of *Batch                                   // that weigh belongs to
	s := Scored{Of: m.evaluated(split)}
	score := func(_ int, b *Batch, k int) error {
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
		s.Weighing = func(h int) ops.Weighing { return weigh[h](b.place[k], max(heads[h].Head-1, 0)) }
		return f(s)
	}
	for group := range m.groups(split, s.Of, readings) {
		if err := m.ask(ctx, split, group, score); err != nil {
			return err
		}
	}
	return nil
}
