package experiments

import (
	"slices"

	"imdbexp/dataset"
	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// split is one split with what its batches need.
type split struct {
	*dataset.Encoded
	inputs    models.Inputs
	order     []int32 // of evaluation
	evalBatch int     // reviews at once in evaluation
	batch     ragged.Batch
}

// fill makes the batch of the given reviews.
func (s *split) fill(reviews []int32) *ragged.Batch {
	dataset.Pack(s.Encoded, reviews, &s.batch)
	return &s.batch
}

// tally adds up what an epoch, or a pass over a split, gives.
type tally struct {
	loss      float64
	reviews   int
	positions int // predictions: one a review, or one a target word of a translation
	right     int // of these
	words     int
	entropies []float32
	heads     [][]headTally // [L][H] of self-attention
	norm      float64
	steps     int
	seconds   float64 // of the training pass
}

// add counts the batch that the network has just seen; loss is its mean loss.
func (t *tally) add(b *ragged.Batch, n *models.Network, loss float64) {
	t.loss += float64(loss * float64(n.Positions())) // rounded before it is added, on every CPU
	t.reviews += b.Len()
	t.positions += n.Positions()
	t.right += n.Right()
	t.words += b.Words()
	t.steps++
	t.entropies = append(t.entropies, n.Entropies()...)
	t.addHeads(n)
}

func (t *tally) meanLoss() float64 { return t.loss / float64(t.positions) }

// accuracy is in percent.
func (t *tally) accuracy() float64 { return 100 * float64(t.right) / float64(t.positions) }

// entropy returns the mean and the quantiles (0, 25, 50, 75, 100 %), or nil for
// a model without attention.
func (t *tally) entropy() (mean *float64, quantiles *[5]float64) {
	n := len(t.entropies)
	if n == 0 {
		return nil, nil
	}
	sorted := slices.Clone(t.entropies)
	slices.Sort(sorted)
	var sum float64
	for _, h := range sorted {
		sum += float64(h)
	}
	m, q := sum/float64(n), [5]float64{}
	for i := range q {
		q[i] = float64(sorted[i*(n-1)/4])
	}
	return &m, &q
}

// argmax returns the index of the largest score, the first among equals.
func argmax(scores []float32) int {
	best := 0
	for i, s := range scores {
		if s > scores[best] {
			best = i
		}
	}
	return best
}
