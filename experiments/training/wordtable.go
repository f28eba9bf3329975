package training

import (
	"math/bits"
	"slices"

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

// rowSum computes the gradient of the rows of a table from that of the words of a batch: it adds the
// gradients of the words that share a row, in the order of the batch. Each row has its own sum, so the
// result does not depend on the number of workers.
//
// It sorts the words by counting, which takes some nanoseconds a word and one bit for each row of the
// table.
type rowSum struct {
	dim    int
	cursor []int32  // [R] first the number of words of a row, then the position of its next word; 0 between batches
	seen   []uint64 // a bit for each row; 0 between batches
	ids    []int32  // [U] the rows, ascending
	starts []int32  // [U+1] the start of each row's words in order
	order  []int32  // [N] the words by their row
	grads  []float32
}

func newRowSum(rows, dim int) *rowSum {
	return &rowSum{dim: dim, cursor: make([]int32, rows), seen: make([]uint64, (rows+63)/64)}
}

// sum returns the rows of the words that sort has sorted and their gradients [U, d], from the
// gradients of the words [N, d]. The next call overwrites both.
func (s *rowSum) sum(pool *ops.Pool, words ops.Mat) (rows []int32, grads []float32, err error) {
	d := s.dim
	s.grads = slices.Grow(s.grads[:0], len(s.ids)*d)[:len(s.ids)*d]
	const block = 1024 // words of a part, up to the end of its last row
	err = pool.For((len(s.order)+block-1)/block, func(part int) {
		from, _ := slices.BinarySearch(s.starts[:len(s.ids)], int32(part*block))
		to, _ := slices.BinarySearch(s.starts[:len(s.ids)], int32((part+1)*block))
		simd.SegmentSums(s.grads[from*d:to*d], words.Data, d, s.order, s.starts[from:to+1])
	})
	return s.ids, s.grads, err
}

// sort sorts the words ids [N] of a batch by their rows, without those of the row skip: it fills ids,
// starts and order.
func (s *rowSum) sort(ids []int32, skip int32) {
	for _, id := range ids {
		s.cursor[id]++
		s.seen[id/64] |= 1 << (id % 64)
	}
	s.ids, s.starts = s.ids[:0], s.starts[:0]
	end := int32(0)
	for i, word := range s.seen {
		for ; word != 0; word &= word - 1 {
			id := int32(64*i + bits.TrailingZeros64(word))
			n := s.cursor[id]
			s.cursor[id] = end
			if id != skip {
				s.ids, s.starts = append(s.ids, id), append(s.starts, end)
				end += n
			}
		}
		s.seen[i] = 0
	}
	s.starts = append(s.starts, end)
	s.order = slices.Grow(s.order[:0], int(end))[:end]
	for i, id := range ids {
		if id != skip {
			s.order[s.cursor[id]] = int32(i)
			s.cursor[id]++
		}
	}
	for _, id := range s.ids {
		s.cursor[id] = 0
	}
	if skip >= 0 {
		s.cursor[skip] = 0
	}
}
