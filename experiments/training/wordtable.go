package experiments

import (
	"fmt"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/settings"
	"imdbexp/models"
)

// wordTable is the table of word vectors where vectors.train=true trains it.
//
// The row dataset.OOVRow is trained like any other: with oov=mean and oov=learned
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
	switch dataset.OOV(r.Unknown()) {
	case dataset.OOVZero, dataset.OOVMasked:
		t.fixed = dataset.OOVRow
	}
	return t
}

// expect sorts the words of a batch, before their gradients are there.
func (t *wordTable) expect(ids []int32) { t.sum.sort(ids, t.fixed) }

// see takes the gradients [N, d] of the words of the batch.
func (t *wordTable) see(grads ops.Mat) (err error) {
	t.rows.IDs, t.rows.G, err = t.sum.of(t.pool, grads)
	return err
}

// setLR sets the learning rate from the model's and the schedule's factor on it.
func (t *wordTable) setLR(lr, factor float64) {
	if t.lr > 0 {
		lr = t.lr
	}
	t.rows.LR = lr * factor
}

// weight returns the table as a run keeps it.
func (t *wordTable) weight() *models.Weight {
	return &models.Weight{Name: models.VectorsWeight, Rows: len(t.rows.W) / t.rows.Dim, Cols: t.rows.Dim, Data: t.rows.W}
}

// checkVectors refuses settings of trained vectors that would have no effect.
func (p *Plan) checkVectors() error {
	if p.Translates() {
		return p.checkPairs()
	}
	switch r := p.Run; {
	case !r.TrainVectors && r.VectorsLR != 0:
		return fmt.Errorf("vectors.lr=%g is of trained vectors: it needs vectors.train=true", r.VectorsLR)
	case !r.TrainVectors && r.VectorsAdam != "lazy":
		return fmt.Errorf("vectors.adam=%s is of trained vectors: it needs vectors.train=true", r.VectorsAdam)
	case r.VectorsAdam != "lazy" && r.Optimizer.Optimizer == "sgd":
		return fmt.Errorf("vectors.adam=%s is of adam and adamw; sgd moves only the rows of the batch's words", r.VectorsAdam)
	}
	return nil
}
