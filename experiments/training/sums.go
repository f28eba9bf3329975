package training

import (
	"slices"

	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// sums adds up the steps of an epoch, or the batches of an evaluation.
type sums struct {
	loss      float64
	reviews   int
	positions int // predictions: one a review, or one a target word of a translation
	right     int // of these
	words     int
	entropies []float32
	heads     [][]headSums // [L][H] of self-attention
	norm      float64
	steps     int
	seconds   float64 // of the training pass
}

// add adds the batch on which the network has run; loss is its mean loss.
func (t *sums) add(b *ragged.Batch, n *models.Network, loss float64) {
	t.loss += float64(loss * float64(n.Predictions())) // rounded before it is added, on every CPU
	t.reviews += b.Len()
	t.positions += n.Predictions()
	t.right += n.Right()
	t.words += b.Words()
	t.steps++
	t.entropies = append(t.entropies, n.Entropies()...)
	t.addHeads(n)
}

func (t *sums) meanLoss() float64 { return t.loss / float64(t.positions) }

// accuracy is in percent.
func (t *sums) accuracy() float64 { return 100 * float64(t.right) / float64(t.positions) }

// entropy returns the mean and the quantiles (0, 25, 50, 75, 100 %), or nil for
// a model without attention.
func (t *sums) entropy() (mean *float64, quantiles *[5]float64) {
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
