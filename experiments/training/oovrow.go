package experiments

import (
	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
)

// oovRow is the one row of the table that oov=learned trains.
type oovRow struct {
	row, grad []float32 // [d]
}

func newOOVRow(table []float32, dim int) *oovRow {
	return &oovRow{row: table[int(dataset.OOVRow)*dim:][:dim], grad: make([]float32, dim)}
}

// gradient adds up the gradients of the words that share the row, in order.
func (o *oovRow) gradient(ids []int32, rows ops.Mat) []float32 {
	clear(o.grad)
	for i, id := range ids {
		if id == dataset.OOVRow {
			simd.Add(o.grad, rows.Row(i))
		}
	}
	return o.grad
}
