package ops

import (
	"math"

	"imdbexp/internal/simd"
)

func (k *attention) forward(in, out []Mat) error {
	q, keys, v := in[0], in[1], in[2]
	k.lse, k.entropy = grown(k.lse, k.Heads*k.soft.Len()), grown(k.entropy, k.Heads*k.soft.Len())
	if k.dropsOut() {
		if err := k.draw(); err != nil {
			return err
		}
	}
	var err error
	if k.OverQueries {
		err = k.eachBlock(k.keys, k.queries, func(r *room, t attentionTask) {
			k.normalise(r, t, keys, q, k.queries, Mat{}, Mat{})
		})
		if err == nil {
			err = k.eachBlock(k.queries, k.keys, func(r *room, t attentionTask) { k.weigh(r, t, q, keys, v, out[0]) })
		}
	} else {
		err = k.eachBlock(k.queries, k.keys, func(r *room, t attentionTask) {
			k.normalise(r, t, q, keys, k.keys, v, out[0])
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

func (k *attention) weighing(in []Wide, review, head int) Weighing {
	queries := k.queries.of(in[0], review).columns(head*k.dk, k.dk)
	keys := k.keys.of(in[1], review).columns(head*k.dk, k.dk)
	w := weighRows(queries, keys, float64(k.Scale), k.OverQueries, k.Causal, exactDot)
	w.Values = k.keys.of(in[2], review).columns(head*k.dv, k.dv)
	return w
}

func (k *attention) exact(in, out []Wide) error {
	if k.dropsOut() {
		return errTraining
	}
	for b := range k.queries.reviews.Len() {
		for h := range k.Heads {
			w := k.weighing(in, b, h)
			sums := newWide(w.Queries.Rows, k.dv)
			exactLinear(sums, w.Weights, w.Values, nil)
			for i := range sums.Rows {
				copy(k.queries.of(out[0], b).Row(i)[h*k.dv:], sums.Row(i))
			}
			out[1].Row(b)[h] = w.entropy()
		}
	}
	return nil
}

// normalise takes the softmax of the rows lo … hi of x against all of y, which lies
// on the axis against: their lse and entropy, and the mean of the values v, one a
// row of y, unless there are none. The tiles hold Sᵀ: what belongs to a row of x
// runs down a column, one lane of a vector, without a sum across lanes.
//
// With m the largest score so far, sum = Σ exp(s−m) and dot = Σ (s−m) exp(s−m)
// give lse = m + log sum and the entropy log sum − dot/sum, both terms of which
// are positive: nothing cancels.
func (k *attention) normalise(r *room, t attentionTask, x, y Mat, against *Seq, v, out Mat) {
	cols := t.hi - t.lo
	first := k.soft.Offsets[t.review] + t.lo // row of x
	from, end := against.Offsets[t.review], against.length(t.review)
	if k.Causal {
		end = t.hi
	}
	step, ld := evenly(end, tileRows, 1), stride(cols)
	r.columns(cols)
	r.xT, r.sumT, r.s = grown(r.xT, k.dk*ld), grown(r.sumT, k.dv*ld), grown(r.s, step*ld)
	simd.Transpose(r.xT, ld, headOf(x, first, t.head, k.dk), x.Cols, cols, k.dk)
	for j := 0; j < end; j += step {
		rows := min(step, end-j)
		simd.NN(rows, cols, k.dk, headOf(y, from+j, t.head, k.dk), y.Cols, r.xT, ld, r.s, ld, false)
		if k.Causal {
			for i := max(t.lo-j, 0); i < rows; i++ { // key j+i is not for the queries before it
				simd.Fill(r.s[i*ld:][:min(j+i-t.lo, cols)], negInf)
			}
		}
		r.raise(rows, ld, k.Scale, r.sumT, k.dv, j == 0)
		simd.SoftmaxColumns(r.s, rows, ld, cols, k.Scale, r.m, r.sum, r.dot)
		if v.Data == nil {
			continue
		}
		if k.dropsOut() {
			k.thin(r.s, rows, ld, cols, t.head, first, from+j, true)
		}
		simd.TN(k.dv, cols, rows, headOf(v, from+j, t.head, k.dv), v.Cols, r.s, ld, r.sumT, ld, j > 0)
	}
	at := t.head*k.soft.Len() + first
	lse, entropy := k.lse[at:][:cols], k.entropy[at:][:cols]
	simd.Log(lse, r.sum)
	for i, sum := range r.sum {
		entropy[i] = max(lse[i]-r.dot[i]/sum, 0)
		lse[i] += r.m[i]
		r.sum[i] = 1 / sum
	}
	if v.Data != nil {
		for i := range k.dv {
			row := r.sumT[i*ld:][:cols]
			simd.Mul(row, row, r.sum)
		}
		simd.Transpose(headOf(out, first, t.head, k.dv), out.Cols, r.sumT, ld, k.dv, cols)
	}
}

var negInf = float32(math.Inf(-1))

// columns prepares what belongs to the columns of a tile before its first rows.
func (r *room) columns(n int) {
	r.top, r.m, r.before = grown(r.top, n), grown(r.m, n), grown(r.before, n)
	r.sum, r.dot = grown(r.sum, n), grown(r.dot, n)
	simd.Fill(r.top, negInf)
	clear(r.sum)
	clear(r.dot)
}

// raise takes the scores of a tile into the maximum of each column and makes what
// has been summed up before relative to the new one.
func (r *room) raise(rows, ld int, scale float32, sumT []float32, width int, first bool) {
	cols := len(r.m)
	copy(r.before, r.m)
	simd.ColumnMax(r.top, r.s, rows, ld, cols)
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
	for i := range width {
		row := sumT[i*ld:][:cols]
		simd.Mul(row, row, r.before)
	}
}

// weigh leaves P V in the rows lo … hi, for a softmax over the queries whose lse is
// known.
func (k *attention) weigh(r *room, t attentionTask, q, keys, v, out Mat) {
	rows, n := t.hi-t.lo, k.keys.length(t.review)
	first, from := k.queries.Offsets[t.review]+t.lo, k.keys.Offsets[t.review]
	step := evenly(n, tileCols, 16)
	ld := stride(step)
	r.columns(step)
	r.s = grown(r.s, rows*ld)
	for j := 0; j < n; j += step {
		cols := min(step, n-j)
		simd.NT(rows, cols, k.dk, headOf(q, first, t.head, k.dk), q.Cols, headOf(keys, from+j, t.head, k.dk), keys.Cols, r.s, ld, false)
		k.attendOver(r, rows, ld, cols, t.head, from+j)
		if k.dropsOut() {
			k.thin(r.s, rows, ld, cols, t.head, first, from+j, false)
		}
		simd.NN(rows, k.dv, cols, r.s, ld, headOf(v, from+j, t.head, k.dv), v.Cols, headOf(out, first, t.head, k.dv), out.Cols, j > 0)
	}
}

// attendOver turns a tile of scores, its columns keys from row key of the batch on,
// into attention over the queries.
func (k *attention) attendOver(r *room, rows, ld, cols, head, key int) {
	lse := k.lse[head*k.keys.Len()+key:][:cols]
	simd.SoftmaxColumns(r.s, rows, ld, cols, k.Scale, lse, r.sum[:cols], r.dot[:cols])
}
