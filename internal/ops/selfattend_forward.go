package ops

import (
	"math"

	"imdbexp/internal/simd"
)

func (k *attention) forward(in, out []Mat) error {
	q, keys, v := in[0], in[1], in[2]
	k.lse, k.entropy = grown(k.lse, k.Heads*k.soft.Len()), grown(k.entropy, k.Heads*k.soft.Len())
	if k.dropsOut() {
		if err := k.seed(); err != nil {
			return err
		}
	}
	var err error
	if k.OverQueries {
		if err = k.compare(q, keys, v); err == nil {
			whole := func(n int) int { return n }
			err = k.each(k.keys, k.queries, whole, allElements, func(r *work, t attentionTask) { k.overQueries(r, t, q, keys, v, out[0]) })
		}
	} else {
		err = k.eachBlock(k.queries, k.keys, func(r *work, t attentionTask) {
			k.normalise(r, t, q, keys, v, out[0])
		})
	}
	for b := range k.soft.reviews.Len() {
		for h := range k.Heads {
			lo, hi := h*k.soft.Len()+k.soft.Offsets[b], h*k.soft.Len()+k.soft.Offsets[b+1]
			out[1].Row(b)[h] = simd.Sum(k.entropy[lo:hi]) / float32(hi-lo)
		}
	}
	return err
}

func (k *attention) weighing(in []Mat64, review, head int) Weighing {
	queries := k.queries.of(in[0], review).columns(head*k.dk, k.dk)
	keys := k.keys.of(in[1], review).columns(head*k.dk, k.dk)
	w := weighRows(queries, keys, float64(k.Scale), k.OverQueries, k.Causal, exactDot)
	w.Values, w.Read = k.keys.of(in[2], review).columns(head*k.dv, k.dv), k.read(0, queries.Rows)
	return w
}

func (k *attention) exact(in, out []Mat64) error {
	if k.dropsOut() {
		return errTraining
	}
	for b := range k.queries.reviews.Len() {
		for h := range k.Heads {
			w := k.weighing(in, b, h).filled()
			sums := newWide(w.Queries.Rows, k.dv)
			exactLinear(sums, w.Weights, w.Values, nil)
			for i := range k.read(0, sums.Rows) {
				copy(k.queries.of(out[0], b).Row(i)[h*k.dv:], sums.Row(i))
			}
			out[1].Row(b)[h] = w.entropy()
		}
	}
	return nil
}

// normalise computes the softmax of the queries lo … hi over all keys, and the mean of
// the values. The tiles hold Sᵀ: a query is a column, one lane
// of a vector, and needs no sum across lanes.
//
// With m the largest score so far, sum = Σ exp(s−m) and dot = Σ (s−m) exp(s−m)
// give lse = m + log sum and the entropy log sum − dot/sum. Both terms of the entropy
// are positive: nothing cancels.
func (k *attention) normalise(r *work, t attentionTask, q, keys, v, out Mat) {
	cols := t.hi - t.lo
	first := k.queries.Offsets[t.review] + t.lo
	from, end := k.keys.Offsets[t.review], k.keys.length(t.review)
	if k.Causal {
		end = t.hi
	}
	read := k.read(t.lo, t.hi)
	step, ld := evenly(end, tileRows, 1), stride(cols)
	r.columns(cols)
	r.xT, r.sumT, r.s = grown(r.xT, k.dk*ld), grown(r.sumT, k.dv*ld), grown(r.s, step*ld)
	simd.Transpose(r.xT, ld, headOf(q, first, t.head, k.dk), q.Cols, cols, k.dk)
	for j := 0; j < end; j += step {
		rows := min(step, end-j)
		simd.NN(rows, cols, k.dk, headOf(keys, from+j, t.head, k.dk), keys.Cols, r.xT, ld, r.s, ld, false)
		if k.Causal {
			for i := max(t.lo-j, 0); i < rows; i++ { // key j+i is not for the queries before it
				simd.Fill(r.s[i*ld:][:min(j+i-t.lo, cols)], negInf)
			}
		}
		r.raise(r.s, rows, ld, k.Scale, j == 0)
		if j > 0 && read > 0 {
			for i := range k.dv {
				row := r.sumT[i*ld:][:cols]
				simd.Mul(row, row, r.before)
			}
		}
		simd.SoftmaxColumns(r.s, rows, ld, cols, k.Scale, r.m, r.sum, r.dot)
		if read == 0 {
			continue
		}
		if k.dropsOut() {
			k.drop(r.s, rows, ld, cols, t.head, first, from+j, true)
		}
		simd.TN(k.dv, cols, rows, headOf(v, from+j, t.head, k.dv), v.Cols, r.s, ld, r.sumT, ld, j > 0)
	}
	k.settle(r, t.head, first, cols)
	if read > 0 {
		for i := range k.dv {
			row := r.sumT[i*ld:][:cols]
			simd.Mul(row, row, r.sum)
		}
		simd.Transpose(headOf(out, first, t.head, k.dv), out.Cols, r.sumT, ld, k.dv, cols)
	}
	k.unread(out, t.head, first+read, first+cols)
}

// settle sets lse and entropy of the columns, which are the rows of the batch from
// first on, and turns sum into 1/sum.
func (k *attention) settle(r *work, head, first, cols int) {
	at := head*k.soft.Len() + first
	lse, entropy := k.lse[at:][:cols], k.entropy[at:][:cols]
	simd.Log(lse, r.sum)
	for i, sum := range r.sum {
		entropy[i] = max(lse[i]-r.dot[i]/sum, 0)
		lse[i] += r.m[i]
		r.sum[i] = 1 / sum
	}
}

// read returns how many of the results lo … hi of a review are used.
func (k *attention) read(lo, hi int) int {
	if k.FirstOnly {
		return min(max(1-lo, 0), hi-lo)
	}
	return hi - lo
}

// unread sets the rows lo … hi of the batch to zero.
func (k *attention) unread(out Mat, head, lo, hi int) {
	for i := lo; i < hi; i++ {
		clear(headOf(out, i, head, k.dv)[:k.dv])
	}
}

var negInf = float32(math.Inf(-1))

// columns resets the state of the columns of a tile before its first rows.
func (r *work) columns(n int) {
	r.top, r.m, r.before = grown(r.top, n), grown(r.m, n), grown(r.before, n)
	r.sum, r.dot = grown(r.sum, n), grown(r.dot, n)
	simd.Fill(r.top, negInf)
	clear(r.sum)
	clear(r.dot)
}

// raise updates the maximum of each column by the scores of a tile, and rescales the sums
// so far to the new maximum. Other sums must be multiplied by before.
func (r *work) raise(s []float32, rows, ld int, scale float32, first bool) {
	copy(r.before, r.m)
	simd.ColumnMax(r.top, s, rows, ld, len(r.m))
	for i, v := range r.top {
		r.m[i] = v * scale
	}
	if first {
		return
	}
	for i, m := range r.m {
		d := r.before[i] - m
		r.dot[i] += float32(d * r.sum[i])
		if d < simd.SoftmaxMin { // as in the kernels
			d = negInf
		}
		r.before[i] = d
	}
	simd.Exp(r.before, r.before)
	simd.Mul(r.sum, r.sum, r.before)
	simd.Mul(r.dot, r.dot, r.before)
}
