package training

import (
	"imdbexp/dataset"
	"imdbexp/experiments/plan"
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

// evalBatch is how many reviews of like length are evaluated at once.
const evalBatch = 128

// EvaluationOrder returns in which order a run evaluates the reviews of a split, and
// how many at once.
func EvaluationOrder(p *plan.Plan, e *dataset.Encoded) (order []int32, batch int) {
	if models.BatchDependent(p.Model) {
		// Batches as in training: of its size, reviews as they come.
		return dataset.Shuffle(e.Len(), p.Run.Seed, 0), p.Run.Batch
	}
	return dataset.ByLength(e), evalBatch
}
