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
