package ops

import (
	"fmt"

	"imdbexp/internal/simd"
)

// AttentionRow sets dst to the weights pᵢⱼ with which a review's query i attends to
// the review's keys, in one head, as in the last run but without dropout. n is a result of
// SelfAttend or Attention; dst has one element for each key. review counts from 0 in
// the batch, i from 0 in the review.
func (n *Node) AttentionRow(dst []float32, review, head, i int) error {
	k, err := n.attended()
	switch {
	case err != nil:
		return err
	case review < 0 || review >= k.queries.reviews.Len() || head < 0 || head >= k.Heads || i < 0 || i >= k.queries.length(review):
		return fmt.Errorf("attention row: no query %d in head %d of review %d", i, head, review)
	case len(dst) != k.keys.length(review):
		return fmt.Errorf("attention row: %d places for the weights of %d keys", len(dst), k.keys.length(review))
	}
	q, keys := n.src.in[0], n.src.in[1]
	cols, query, key := len(dst), k.queries.Offsets[review]+i, k.keys.Offsets[review]
	simd.NT(1, cols, k.dk, headOf(q, query, head, k.dk), q.Cols, headOf(keys, key, head, k.dk), keys.Cols, dst, cols, false)
	lse := k.lse[head*k.soft.Len():]
	if k.OverQueries {
		lse = lse[key:][:cols]
	} else {
		one := lse[query]
		lse = make([]float32, cols)
		simd.Fill(lse, one)
	}
	if k.Causal {
		simd.Fill(dst[i+1:], negInf)
	}
	simd.SoftmaxColumns(dst, 1, cols, cols, k.Scale, lse, make([]float32, cols), make([]float32, cols))
	return nil
}

// attended returns the attention op of the node, if it has run.
func (n *Node) attended() (*attention, error) {
	var k *attention
	if n.src != nil {
		k, _ = n.src.k.(*attention)
	}
	switch {
	case k == nil:
		return nil, fmt.Errorf("the node is not a result of attention")
	case len(n.src.in) == 0 || len(k.lse) == 0:
		return nil, fmt.Errorf("the graph has not run yet; run it before reading attention")
	}
	return k, nil
}

// AttentionReceived sets dst[h·N+j] to the attention that key j of the batch receives in
// head h from the first queries(b) queries of its review b: Σᵢ pᵢⱼ, as in the last
// run, without dropout. n is a result of SelfAttend or Attention, and N the number of keys in
// the batch. It takes only the time of the scores, where calling AttentionRow for every
// query would read all keys again each time.
func (n *Node) AttentionReceived(dst []float32, queries func(review int) int) error {
	k, err := n.attended()
	if err != nil {
		return err
	}
	if len(dst) != k.Heads*k.keys.Len() {
		return fmt.Errorf("attention received: %d places for %d keys in %d heads", len(dst), k.keys.Len(), k.Heads)
	}
	for b := range k.queries.reviews.Len() {
		if m := queries(b); m < 0 || m > k.queries.length(b) {
			return fmt.Errorf("attention received: %d queries of review %d, which has %d", m, b, k.queries.length(b))
		}
	}
	q, keys := n.src.in[0], n.src.in[1]
	return k.eachBlock(k.keys, k.queries, func(r *work, t attentionTask) {
		out := dst[t.head*k.keys.Len()+k.keys.Offsets[t.review]:][t.lo:t.hi]
		if k.OverQueries {
			k.receiveOverQueries(r, t, q, keys, out, queries(t.review))
		} else {
			k.receive(r, t, q, keys, out, queries(t.review))
		}
	})
}

// receive adds up the columns lo … hi of P. The tiles hold Sᵀ: a query, which
// has the sum of its softmax, is a column.
func (k *attention) receive(r *work, t attentionTask, q, keys Mat, out []float32, queries int) {
	rows, key, query := t.hi-t.lo, k.keys.Offsets[t.review]+t.lo, k.queries.Offsets[t.review]
	lse := k.lse[t.head*k.soft.Len()+query:]
	step := evenly(max(queries, 1), tileCols, 16)
	ld := stride(step)
	r.columns(step)
	r.s = grown(r.s, rows*ld)
	clear(out)
	for i := 0; i < queries; i += step {
		cols := min(step, queries-i)
		simd.NT(rows, cols, k.dk, headOf(keys, key, t.head, k.dk), keys.Cols, headOf(q, query+i, t.head, k.dk), q.Cols, r.s, ld, false)
		if k.Causal {
			for j := range rows { // the queries before a key do not attend to it
				simd.Fill(r.s[j*ld:][:max(min(t.lo+j-i, cols), 0)], negInf)
			}
		}
		simd.SoftmaxColumns(r.s, rows, ld, cols, k.Scale, lse[i:][:cols], r.sum[:cols], r.dot[:cols])
		for j := range rows {
			out[j] += simd.Sum(r.s[j*ld:][:cols])
		}
	}
}

// receiveOverQueries is receive for OverQueries: a key has the sum of its softmax.
func (k *attention) receiveOverQueries(r *work, t attentionTask, q, keys Mat, out []float32, queries int) {
	cols, key, query := t.hi-t.lo, k.keys.Offsets[t.review]+t.lo, k.queries.Offsets[t.review]
	step, ld := evenly(max(queries, 1), tileRows, 1), stride(cols)
	r.columns(cols)
	r.s = grown(r.s, step*ld)
	for i := 0; i < queries; i += step {
		rows := min(step, queries-i)
		simd.NT(rows, cols, k.dk, headOf(q, query+i, t.head, k.dk), q.Cols, headOf(keys, key, t.head, k.dk), keys.Cols, r.s, ld, false)
		k.attendOver(r, r.s, rows, ld, cols, t.head, key)
	}
	copy(out, r.sum)
}
