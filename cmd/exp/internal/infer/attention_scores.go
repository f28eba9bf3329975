package infer

import (
	"context"
	"math"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
)

// ScoreSpread is how far the scores lie apart that one head of a model compares words
// by, and what its softmax makes of them. Each number is the mean over the queries of a
// review, of which most models have one, and then over reviews.
type ScoreSpread struct {
	Layer, Head int // from 1; Layer 0 is attention with one weight a word

	Dots     float64 // variance of a query's scores before they are scaled
	Variance float64 // and as the softmax gets them
	Entropy  float64 // of the weights, in nats
	Share    float64 // of log n, n being how many are compared
	Largest  float64 // weight

	// Slope is 1 − Σα², the trace of the softmax's Jacobian: how much the weights still
	// move with the scores, from 0, where one word has all, to 1 − 1/n.
	Slope float64
}

// ScoreSpreads are those of all heads of a model, by layer and head, attention with one
// weight a word last.
type ScoreSpreads struct {
	Heads   []ScoreSpread
	Reviews int // of two words or more: with one there is nothing to compare
}

// ScoreSpreads measures the scores of a split's reviews, the first limit of each class,
// 0 all; seen, if not nil, is told how many reviews are done, of how many. A model
// without scores is a LookError.
func (m *Model) ScoreSpreads(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, seen func(done, of int)) (*ScoreSpreads, error) {
	split := &c.Test
	if part == dataset.Train {
		split = &c.Train
	}
	heads, nodes, err := m.scoring()
	if err != nil {
		return nil, err
	}
	s := &ScoreSpreads{Heads: heads}
	sums := make([]ScoreSpread, len(heads)) // of one review
	var exact *ops.Exact
	var of *Batch // that exact is about
	done := 0
	_, all := m.evaluated(c, split, limit)
	see := func(_ *Reading, b *Batch, i int, _ Encoded) error {
		if b != of {
			exact, of = ops.NewMixed(), b
			for _, n := range nodes { // on one core, as it keeps what it has computed
				if _, _, err := exact.Weighing(n, b.place[i], 0); err != nil {
					return err
				}
			}
		}
		err := m.pool.For(len(heads), func(h int) {
			w, _, _ := exact.Weighing(nodes[h], b.place[i], max(heads[h].Head-1, 0))
			sums[h] = spreadOf(w)
		})
		if err != nil {
			return err
		}
		if done++; seen != nil {
			seen(done, all)
		}
		if math.IsNaN(sums[0].Share) {
			return nil
		}
		s.Reviews++
		for h := range sums {
			s.Heads[h].add(&sums[h])
		}
		return nil
	}
	if err := m.eachReading(ctx, c, split, limit, see, func([]Reading) error { return nil }); err != nil {
		return nil, err
	}
	if s.Reviews == 0 {
		return nil, lookError("none of the %d reviews has two words that the model could compare", done)
	}
	for h := range s.Heads {
		s.Heads[h].divide(float64(s.Reviews))
	}
	return s, nil
}

// scoring returns the heads that score words, and the node of each whose op does.
func (m *Model) scoring() (heads []ScoreSpread, nodes []*ops.Node, err error) {
	out := m.network.Output()
	if n := m.Members(); n > 1 {
		return nil, nil, lookError("each of its %d networks has scores of its own: those of a run with members=1 can be measured", n)
	}
	for l, n := range out.Layers {
		for h := range n.Cols() {
			heads, nodes = append(heads, ScoreSpread{Layer: l + 1, Head: h + 1}), append(nodes, n)
		}
	}
	if out.Attention != nil && out.Attention.Weighs() {
		heads, nodes = append(heads, ScoreSpread{}), append(nodes, out.Attention)
	}
	if heads == nil {
		return nil, nil, lookError("the model compares no words: it has no scores")
	}
	return heads, nodes, nil
}

// spreadOf measures how one review's queries compare its words, or with OverQueries how
// its queries compete for each word. Share is NaN where there is one alone.
func spreadOf(w ops.Weighing) ScoreSpread {
	scores, weights := w.Distributions()
	var s ScoreSpread
	for i := range scores.Rows {
		mean, square, largest, sum := 0.0, 0.0, 0.0, 0.0
		for _, x := range scores.Row(i) {
			mean += x / float64(scores.Cols)
		}
		for _, x := range scores.Row(i) {
			square += (x - mean) * (x - mean) / float64(scores.Cols)
		}
		for _, a := range weights.Row(i) {
			largest = max(largest, a)
			sum += a * a
		}
		h := entropyOf(weights.Row(i))
		s.add(&ScoreSpread{
			Dots: square, Variance: w.Scale * w.Scale * square, Entropy: h, Share: h / math.Log(float64(scores.Cols)),
			Largest: largest, Slope: 1 - sum,
		})
	}
	s.divide(float64(scores.Rows))
	return s
}

func (s *ScoreSpread) add(o *ScoreSpread) {
	s.Dots += o.Dots
	s.Variance += o.Variance
	s.Entropy += o.Entropy
	s.Share += o.Share
	s.Largest += o.Largest
	s.Slope += o.Slope
}

func (s *ScoreSpread) divide(n float64) {
	s.Dots /= n
	s.Variance /= n
	s.Entropy /= n
	s.Share /= n
	s.Largest /= n
	s.Slope /= n
}
