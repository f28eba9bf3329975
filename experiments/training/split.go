package training

import (
	"slices"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
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
	if m, ok := p.Model.(models.BatchDependent); ok && m.BatchDependent() {
		// Batches as in training: of its size, reviews as they come.
		return dataset.Shuffle(e.Len(), p.Run.Seed, 0), p.Run.Batch
	}
	return dataset.ByLength(e), evalBatch
}

// split readies a split for the networks.
func (t *trainer) split(p *plan.Plan, e *dataset.Encoded, d *task.Data, table []float32, pool *ops.Pool) (*split, error) {
	s := &split{Encoded: e, inputs: models.Inputs{Table: table}}
	s.order, s.evalBatch = EvaluationOrder(p, e)
	if n := e.Len(); t.run.DropLast && n >= t.run.Batch {
		end := int32(n - n%t.run.Batch)
		s.order = slices.DeleteFunc(s.order, func(r int32) bool { return r >= end })
	}
	var err error
	if t.eval.NeedsMeans() {
		if s.inputs.Means, err = d.Means(pool, e); err != nil {
			return nil, err
		}
	}
	if t.base != nil && (t.eval.NeedsBase() || e == d.Train) {
		s.inputs.Base, err = t.base(e)
	}
	return s, err
}
