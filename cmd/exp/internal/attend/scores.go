package attend

import (
	"context"
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset"
	"imdbexp/internal/ops"
)

// spread is how far the scores lie apart that one head of a model compares words by, and
// what its softmax makes of them. Each number is the mean over the queries of a review,
// of which most models have one, and then over reviews.
type spread struct {
	dots     float64 // variance of a query's scores before they are scaled
	variance float64 // and as the softmax gets them
	entropy  float64 // of the weights, in nats
	share    float64 // of log n, n being how many are compared
	largest  float64 // weight

	// slope is 1 − Σα², the trace of the softmax's Jacobian: how much the weights still
	// move with the scores, from 0, where one word has all, to 1 − 1/n.
	slope float64
}

// spreads are those of all heads of a model.
type spreads struct {
	heads   []infer.Head
	of      []spread // each head
	reviews int      // of two words or more: with one there is nothing to compare
}

// measureSpreads does so for the test reviews, the first limit of each class, 0 all; seen
// is told how many are done, of how many.
func measureSpreads(ctx context.Context, m *infer.Model, c *dataset.Corpus, limit int, seen func(done, of int)) (*spreads, error) {
	heads, err := m.ScoringHeads()
	if err != nil {
		return nil, err
	}
	s := &spreads{heads: heads, of: make([]spread, len(heads))}
	read, one := 0, make([]spread, len(heads))
	err = m.ReadScores(ctx, c, dataset.Test, limit, func(r infer.Scored) error {
		err := m.Pool().For(len(heads), func(h int) { one[h] = spreadOf(r.Weighing(h)) })
		if err != nil {
			return err
		}
		read = r.Done
		seen(r.Done, r.Of)
		if math.IsNaN(one[0].share) {
			return nil
		}
		s.reviews++
		for h := range one {
			s.of[h].add(&one[h])
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case s.reviews == 0:
		return nil, &infer.LookError{Message: fmt.Sprintf("none of the %d reviews has two words that the model could compare", read)}
	}
	for h := range s.of {
		s.of[h].divide(float64(s.reviews))
	}
	return s, nil
}

// spreadOf measures how one review's queries compare its words, or with OverQueries how
// its queries compete for each word. share is NaN where there is one alone.
func spreadOf(w ops.Weighing) spread {
	scores, weights := w.Distributions()
	var s spread
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
		h := entropy(weights.Row(i))
		s.add(&spread{
			dots: square, variance: w.Scale * w.Scale * square, entropy: h, share: h / math.Log(float64(scores.Cols)),
			largest: largest, slope: 1 - sum,
		})
	}
	s.divide(float64(scores.Rows))
	return s
}

func (s *spread) add(o *spread) {
	s.dots += o.dots
	s.variance += o.variance
	s.entropy += o.entropy
	s.share += o.share
	s.largest += o.largest
	s.slope += o.slope
}

func (s *spread) divide(n float64) {
	s.dots /= n
	s.variance /= n
	s.entropy /= n
	s.share /= n
	s.largest /= n
	s.slope /= n
}

// entropy returns that of a distribution, in nats.
func entropy(p []float64) float64 {
	h := 0.0
	for _, w := range p {
		if w > 0 {
			h -= w * math.Log(w)
		}
	}
	return max(h, 0)
}
