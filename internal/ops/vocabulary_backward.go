package ops

import (
	"errors"

	"imdbexp/internal/simd"
)

// backward computes, with G = p−t, zero in rows without a label, and s the mean's gradient divided by
// the number of labels,
//
//	∂x = s·G w    ∂w = Gᵀ(s·x)    ∂bias = s·Σᵢ Gᵢ
//
// G itself is not scaled: it is the largest of these matrices. Its columns are
// summed for blocks of words, so no shard needs its own gradient [V, e].
func (k *vocabularyLoss) backward(in, _, dout []Mat, din []Grad) error {
	if dout[0].Data == nil || dout[1].Data != nil || dout[2].Data != nil {
		return errors.New("only the mean can be part of a cost")
	}
	x, w := in[0], in[1]
	scale := dout[0].Data[0] / float32(max(k.labels, 1))
	k.x = grown(k.x, len(x.Data))
	if din[0].Add {
		k.dx = grown(k.dx, len(x.Data))
	}
	err := k.eachBlock(x.Rows, 0, func(_ []float32, lo, hi int) {
		part := Mat{Rows: x.Rows, Cols: x.Cols, Data: k.x}.Range(lo, hi)
		copy(part, x.Range(lo, hi))
		simd.Scale(part, scale)
		if dx := din[0]; dx.Wanted() {
			to := dx.Range(lo, hi)
			if dx.Add {
				to = k.dx[lo*x.Cols : hi*x.Cols]
			}
			simd.NN(hi-lo, x.Cols, w.Rows, k.z[lo*w.Rows:], w.Rows, w.Data, w.Cols, to, x.Cols, false)
			simd.Scale(to, scale)
			if dx.Add {
				simd.Add(dx.Range(lo, hi), to)
			}
		}
	})
	if err != nil || !din[1].Wanted() && (len(in) < 3 || !din[2].Wanted()) {
		return err
	}
	k.db = grown(k.db, w.Rows)
	blocks := (w.Rows + vocabularyBlock - 1) / vocabularyBlock
	err = k.g.pool.For(blocks, func(block int) {
		lo, hi := block*vocabularyBlock, min((block+1)*vocabularyBlock, w.Rows)
		if dw := din[1]; dw.Wanted() {
			simd.TN(hi-lo, w.Cols, x.Rows, k.z[lo:], w.Rows, k.x, w.Cols, dw.Range(lo, hi), w.Cols, dw.Add)
		}
		if len(in) == 3 && din[2].Wanted() {
			simd.ColumnSums(k.db[lo:hi], k.z[lo:], x.Rows, w.Rows, hi-lo, false)
		}
	})
	if len(in) == 3 && din[2].Wanted() {
		simd.Scale(k.db, scale)
		din[2].putAll(k.db)
	}
	return err
}
