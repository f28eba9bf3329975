package training

import (
	"imdbexp/dataset/embedding"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/settings"
	"imdbexp/models"
)

// trainedVectors are the rows of the table of word vectors that are trained with the
// model. They lie outside its graph, which only gives the gradients of a batch's words.
type trainedVectors interface {
	// expect hears of the words of a batch before their gradients are there.
	expect(ids []int32)
	// gradient returns the rows and their gradients from those of the words [N, d].
	gradient(words ops.Mat) (optim.ValueGrad, error)
	// setLR sets the learning rate from the model's and the schedule's factor on it.
	setLR(lr, factor float64)
	// weight returns the rows as a run keeps them.
	weight() *models.Weight
}

// wordTable is the table of word vectors where vectors.train=true trains it.
//
// The row embedding.OOVRow is trained like any other: with oov=mean and oov=learned
// alike it begins as the mean of the rest, and what words without a vector have
// in common is learned. With oov=zero it stays zero, and so it does with
// oov=masked, where it only stands in for a review without a word.
type wordTable struct {
	rows  optim.Rows
	sum   *rowSum
	pool  *ops.Pool
	fixed int32   // row that is never trained, -1 for none
	lr    float64 // 0: that of the model
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
	t.rows.IDs, t.rows.G, err = t.sum.of(t.pool, words)
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
