package training

import (
	"imdbexp/dataset/embedding"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/models"
)

// trainedVectors are the rows of the table of word vectors that are trained with the model. They are
// not part of its graph, which gives the gradients of the words of a batch.
type trainedVectors interface {
	// expect is called with the words of a batch before their gradients are computed.
	expect(ids []int32)
	// gradient returns the rows with their gradients, from the gradients of the words [N, d].
	gradient(words ops.Mat) (optim.ValueGrad, error)
	// setLR sets the learning rate: that of the model and the factor of the schedule.
	setLR(lr, factor float64)
	// weight returns the rows for a checkpoint.
	weight() *models.Weight
}

// wordTable is the table of word vectors with vectors.train=true.
//
// With oov=mean and oov=learned the row embedding.OOVRow starts as the mean of the others and is
// trained like them. With oov=zero it stays zero, and with oov=masked, where it is the only word of a
// review without words.
type wordTable struct {
	rows  optim.Rows
	sum   *rowSum
	pool  *ops.Pool
	fixed int32   // row that is not trained, -1 for none
	lr    float64 // 0: the rate of the model
}

// newWordTable trains rows, the table [R, dim], in place.
func newWordTable(r *settings.Run, rows []float32, dim int, pool *ops.Pool) *wordTable {
	t := &wordTable{
		rows: optim.Rows{W: rows, Dim: dim, For: pool.For},
		sum:  newRowSum(len(rows)/dim, dim), pool: pool, fixed: -1, lr: r.VectorsLR,
	}
	switch embedding.OOV(r.Unknown()) {
	case embedding.OOVZero, embedding.OOVMasked:
		t.fixed = embedding.OOVRow
	}
	return t
}

func (t *wordTable) expect(ids []int32) { t.sum.sort(ids, t.fixed) }

func (t *wordTable) gradient(words ops.Mat) (_ optim.ValueGrad, err error) {
	t.rows.IDs, t.rows.G, err = t.sum.sum(t.pool, words)
	return &t.rows, err
}

func (t *wordTable) setLR(lr, factor float64) {
	if t.lr > 0 {
		lr = t.lr
	}
	t.rows.LR = lr * factor
}

func (t *wordTable) weight() *models.Weight {
	return &models.Weight{Name: models.VectorsWeight, Rows: len(t.rows.W) / t.rows.Dim, Cols: t.rows.Dim, Data: t.rows.W}
}

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
