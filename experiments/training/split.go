package training

import (
	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// split is a split with the inputs of its batches.
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

// evalBatch is the number of reviews of similar length that are evaluated at once.
const evalBatch = 128

// EvaluationOrder returns the order in which a run evaluates the reviews of a split, and the size of
// its batches.
func EvaluationOrder(p *plan.Plan, e *dataset.Encoded) (order []int32, batch int) {
	if models.BatchDependent(p.Model) {
		// Batches as in training: the same size, in random order.
		return dataset.Shuffle(e.Len(), p.Run.Seed, 0), p.Run.Batch
	}
	return dataset.ByLength(e), evalBatch
}
