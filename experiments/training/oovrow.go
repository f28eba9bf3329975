package training

import (
	"imdbexp/dataset/embedding"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/simd"
	"imdbexp/models"
)

// oovRow is the one row of the table that oov=learned trains.
type oovRow struct {
	row, grad []float32 // [d]
	ids       []int32   // of the batch
}

func newOOVRow(table []float32, dim int) *oovRow {
	return &oovRow{row: table[int(embedding.OOVRow)*dim:][:dim], grad: make([]float32, dim)}
}

func (o *oovRow) expect(ids []int32) { o.ids = ids }

// gradient adds up the gradients of the words that share the row, in order.
func (o *oovRow) gradient(words ops.Mat) (optim.ValueGrad, error) {
	clear(o.grad)
	for i, id := range o.ids {
		if id == embedding.OOVRow {
			simd.Add(o.grad, words.Row(i))
		}
	}
	return optim.Weight{W: o.row, G: o.grad}, nil
}

func (*oovRow) setLR(_, _ float64) {} // the optimiser sets it

func (o *oovRow) weight() *models.Weight {
	return &models.Weight{Name: models.OOVWeight, Rows: 1, Cols: len(o.row), Data: o.row}
}

// noteIdleOOV notes, before the first step, a setting for words without a vector that has no effect,
// because the data have no such words.
func (s *session) noteIdleOOV() {
	if s.at.Epoch > 0 || s.at.Step > 0 || !s.data.Table.Whole {
		return
	}
	for _, key := range []string{"oov", "slip.oov_masked"} {
		if set, ok := s.plan.Set.Get(key); ok && set.Changed() && s.plan.Asked(key) {
			s.note("%s=%s has no effect on these data: all their words have a vector", key, set.Value)
		}
	}
}
