package ops

import (
	"bytes"
	"unsafe"

	"imdbexp/internal/simd"
)

// The softmax over the queries is for models that do not mask padding. Their padding rows
// are all the same until positions or dropout make them different, and so is most of
// S. Equal values are computed once and added as often as they occur: a
// chain of additions in the same order gives the same bits.

// compare finds the number of queries, and of keys with their values, in each review after
// which there are only copies of the last one.
func (k *attention) compare(q, keys, v Mat) error {
	reviews := k.keys.reviews.Len()
	k.ownQueries, k.ownKeys = grown(k.ownQueries, reviews), grown(k.ownKeys, reviews)
	return k.g.pool.For(reviews, func(b int) {
		lo, hi := k.queries.Offsets[b], k.queries.Offsets[b+1]
		from, to := k.keys.Offsets[b], k.keys.Offsets[b+1]
		k.ownQueries[b], k.ownKeys[b] = hi-lo, to-from
		if !k.dropsOut() { // dropout makes all elements different
			k.ownQueries[b], k.ownKeys[b] = own(q, lo, hi), max(own(keys, from, to), own(v, from, to))
		}
	})
}

// own returns the number of the rows lo … hi after which there are only copies of the last one.
func own(m Mat, lo, hi int) int {
	last := bits(m.Row(hi - 1))
	n := hi - lo
	for n > 1 && bytes.Equal(bits(m.Row(lo+n-2)), last) {
		n--
	}
	return n
}

func bits(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// overQueries is normalise with a softmax over the queries. A block of keys
// is a tile of S as long as the review: its scores are computed once, for the sums and for
// the weights. Up to some 1500 words it fits a second-level cache of a megabyte. Narrower
// tiles would fit up to 2770 words, but the products would lose as much time as they save.
// Each result is one chain in the order of the keys, however they are cut into blocks.
func (k *attention) overQueries(r *work, t attentionTask, q, keys, v, out Mat) {
	query, n := k.queries.Offsets[t.review], k.queries.length(t.review)
	key, own := k.keys.Offsets[t.review], k.ownKeys[t.review]
	read := min(k.read(0, n), k.ownQueries[t.review])
	rows, step := evenly(n, tileRows, 1), evenly(own, tileCols, 16)
	ld := stride(step)
	r.xT, r.s, r.ds = grown(r.xT, k.dk*ld), grown(r.s, n*ld), grown(r.ds, rows*ld)
	for j := 0; j < own; j += step {
		cols := min(step, own-j)
		r.columns(cols)
		simd.Transpose(r.xT, ld, headOf(keys, key+j, t.head, k.dk), keys.Cols, cols, k.dk)
		for i := 0; i < n; i += rows {
			m, s := min(rows, n-i), r.s[i*ld:]
			k.longScores(r, t, q, i, m, ld, cols)
			r.raise(s, m, ld, k.Scale, i == 0)
			copy(r.ds, s[:(m-1)*ld+cols])
			simd.SoftmaxColumns(r.ds, m, ld, cols, k.Scale, r.m, r.sum, r.dot)
		}
		k.settle(r, t.head, key+j, cols)
		for i := 0; i < read; i += rows {
			m, s, to := min(rows, read-i), r.s[i*ld:], headOf(out, query+i, t.head, k.dv)
			k.attendOver(r, s, m, ld, cols, t.head, key+j)
			if k.dropsOut() {
				k.drop(s, m, ld, cols, t.head, query+i, key+j, false)
			}
			simd.NN(m, k.dv, cols, s, ld, headOf(v, key+j, t.head, k.dv), v.Cols, to, out.Cols, j > 0)
			if more := t.hi - own; more > 0 && j+cols == own {
				r.again(s[cols-1:], m, ld, more, headOf(v, key+own, t.head, k.dv), v.Cols, k.dv, to, out.Cols)
			}
		}
	}
	at := t.head*k.keys.Len() + key
	simd.Fill(k.lse[at+own:at+t.hi], k.lse[at+own-1])
	simd.Fill(k.entropy[at+own:at+t.hi], k.entropy[at+own-1])
	if k.FirstOnly {
		k.unread(out, t.head, query+read, query+n)
		return
	}
	for i := read; i < n; i++ {
		copy(headOf(out, query+i, t.head, k.dv)[:k.dv], headOf(out, query+read-1, t.head, k.dv))
	}
}

// longScores computes the rows of a long tile from query i of the review on.
func (k *attention) longScores(r *work, t attentionTask, q Mat, i, rows, ld, cols int) {
	own := k.ownQueries[t.review]
	m := min(max(own-i, 0), rows)
	simd.NN(m, cols, k.dk, headOf(q, k.queries.Offsets[t.review]+i, t.head, k.dk), q.Cols, r.xT, ld, r.s[i*ld:], ld, false)
	for ; m < rows; m++ {
		copy(r.s[(i+m)*ld:][:cols], r.s[(own-1)*ld:])
	}
}

// again adds the products of n more columns of a tile that equal its column x: x
// times each of n rows of y with the given width.
func (r *work) again(x []float32, rows, ld, n int, y []float32, ldy, width int, to []float32, ldTo int) {
	step := min(n, tileCols)
	ldEqual := stride(step)
	r.equal = grown(r.equal, rows*ldEqual)
	for i := range rows {
		simd.Fill(r.equal[i*ldEqual:][:step], x[i*ld])
	}
	for j := 0; j < n; j += step {
		simd.NN(rows, width, min(step, n-j), r.equal, ldEqual, y[j*ldy:], ldy, to, ldTo, true)
	}
}

// attendOver turns a tile of scores, its columns keys from row key of the batch on,
// into attention over the queries.
func (k *attention) attendOver(r *work, s []float32, rows, ld, cols, head, key int) {
	lse := k.lse[head*k.keys.Len()+key:][:cols]
	simd.SoftmaxColumns(s, rows, ld, cols, k.Scale, lse, r.sum[:cols], r.dot[:cols])
}
