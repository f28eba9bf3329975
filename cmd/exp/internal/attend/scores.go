package attend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset"
	"imdbexp/internal/ops"
)

// spread measures the scores by which one head compares words, and their weights. Each
// number is the mean over the queries of a review (most models have one query), and then
// over reviews.
type spread struct {
	unscaled float64 // variance of a query's scores before scaling
	variance float64 // after scaling
	entropy  float64 // of the weights, in nats
	share    float64 // entropy divided by log n, for n compared words
	largest  float64 // weight
	words    float64 // with a weight above 0
	slope    float64 // ops.Normaliser.Slope
}

// spreads holds the spreads of all heads of a model.
type spreads struct {
	of          []spread // each head
	reviews     int      // with at least two words
	by          ops.Normaliser
	overQueries bool // the softmax is over the queries (slip.softmax_queries)
}

// measureSpreads measures the first limit test reviews of each class, 0 for all. It calls
// seen with the progress.
func measureSpreads(ctx context.Context, m *infer.Model, c *dataset.Corpus, heads []infer.Head, limit int, seen func(done, of int)) (*spreads, error) {
	s := &spreads{of: make([]spread, len(heads))}
	read, one, compares := 0, make([]spread, len(heads)), make([]bool, len(heads))
	err := m.ReadScores(ctx, c, dataset.Test, limit, func(r infer.Scored) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := m.Pool().For(len(heads), func(h int) {
			w := r.Weighing(h)
			one[h], compares[h] = spreadOf(w), w.Keys.Rows > 1
			if h == 0 {
				s.overQueries, s.by = w.OverQueries, w.By
			}
		})
		if err != nil {
			return err
		}
		read = r.Done
		seen(r.Done, r.Of)
		if slices.Contains(compares, false) {
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
	case read == 0:
		return nil, errors.New("the run's data have no test reviews to measure")
	case s.reviews == 0:
		return nil, &infer.LookError{Message: fmt.Sprintf("no review of the %d has two words to compare", read)}
	}
	for h := range s.of {
		s.of[h].divide(float64(s.reviews))
	}
	return s, nil
}

// spreadOf measures how one review's queries compare its words, or with OverQueries how
// its queries compete for each word. share is NaN for a single word. Queries with unused
// results are skipped, such as all but [CLS] in the last layer.
func spreadOf(w ops.Weighing) spread {
	var s spread
	n := 0
	for scores, weights := range w.Each() {
		if n == w.Read && !w.OverQueries {
			break
		}
		n++
		mean, square, largest, above := 0.0, 0.0, 0.0, 0.0
		for _, x := range scores {
			mean += x / float64(len(scores))
		}
		for _, x := range scores {
			square += (x - mean) * (x - mean) / float64(len(scores))
		}
		for _, a := range weights {
			largest = max(largest, a)
			if a > 0 {
				above++
			}
		}
		h := infer.Entropy(weights)
		s.add(&spread{
			unscaled: square, variance: w.Scale * w.Scale * square, entropy: h, share: h / math.Log(float64(len(scores))),
			largest: largest, words: above, slope: w.By.Slope(weights),
		})
	}
	s.divide(float64(n))
	return s
}

func (s *spread) add(o *spread) {
	s.unscaled += o.unscaled
	s.variance += o.variance
	s.entropy += o.entropy
	s.share += o.share
	s.largest += o.largest
	s.words += o.words
	s.slope += o.slope
}

func (s *spread) divide(n float64) {
	s.unscaled /= n
	s.variance /= n
	s.entropy /= n
	s.share /= n
	s.largest /= n
	s.words /= n
	s.slope /= n
}
