package ops

import "fmt"

// alignment holds the attention weights of each target row of a pair over its source
// words, as the additive ops compute them. Pairs are short, so all m·n weights of a
// pair are kept, for the backward pass and for Alignment.
type alignment struct {
	queries, keys *Seq
	at            []int     // [B+1] where the weights of each pair begin
	alpha, logs   []float32 // [Σ m·n] the weights, row by row, and their logarithms
	entropy       []float32 // [M] of each target row's weights
}

// align returns the alignment of the keys' rows to the queries' rows, which need the
// same reviews.
func align(queries, keys Axis) (alignment, error) {
	q, ok1 := queries.(*Seq)
	k, ok2 := keys.(*Seq)
	if !ok1 || !ok2 || q.reviews != k.reviews {
		return alignment{}, fmt.Errorf("queries and keys need axes of rows of the same reviews")
	}
	return alignment{queries: q, keys: k}, nil
}

// lay allocates the weights of the batch.
func (a *alignment) lay() {
	a.at = append(a.at[:0], 0)
	for b := range a.queries.reviews.Len() {
		a.at = append(a.at, a.at[b]+a.queries.length(b)*a.keys.length(b))
	}
	size := a.at[len(a.at)-1]
	a.alpha, a.logs = grown(a.alpha, size), grown(a.logs, size)
	a.entropy = grown(a.entropy, a.queries.Len())
}

// weights returns the weights [m, n] of a pair.
func (a *alignment) weights(pair int) []float32 { return a.alpha[a.at[pair]:a.at[pair+1]] }

// span returns where the weights of a pair's target row i lie in alpha and logs.
func (a *alignment) span(pair, i int) (lo, hi int) {
	n := a.keys.length(pair)
	lo = a.at[pair] + i*n
	return lo, lo + n
}

// words returns the rows of a pair's source words.
func (a *alignment) words(pair int) (lo, hi int) {
	return a.keys.Offsets[pair], a.keys.Offsets[pair+1]
}

// meanEntropy returns the mean entropy over a pair's target rows.
func (a *alignment) meanEntropy(pair int) float32 {
	var y [1]float32
	MeanRow(y[:], a.entropy[a.queries.Offsets[pair]:a.queries.Offsets[pair+1]])
	return y[0]
}

func (a *alignment) aligned() *alignment { return a }

// Alignment sets dst to the weights with which a pair's target row attends to the
// pair's source words, as in the last run, trained or not. n is a result of
// AdditiveAttention or BahdanauGRU, whose only head is 0, or of Attention (see
// AttentionRow; without dropout). dst has one element for each source word.
// pair counts from 0 in the batch, row from 0 in the pair.
func (n *Node) Alignment(dst []float32, pair, head, row int) error {
	var of interface{ aligned() *alignment }
	if n.src != nil {
		of, _ = n.src.k.(interface{ aligned() *alignment })
	}
	if of == nil {
		return n.AttentionRow(dst, pair, head, row)
	}
	a := of.aligned()
	switch {
	case len(a.at) != a.queries.reviews.Len()+1:
		return fmt.Errorf("the graph has not run yet; run it before reading an alignment")
	case pair < 0 || pair >= len(a.at)-1 || head != 0 || row < 0 || row >= a.queries.length(pair):
		return fmt.Errorf("alignment: no target row %d in head %d of pair %d", row, head, pair)
	case len(dst) != a.keys.length(pair):
		return fmt.Errorf("alignment: %d places for the weights of %d source words", len(dst), a.keys.length(pair))
	}
	lo, hi := a.span(pair, row)
	if hi > a.at[pair+1] { // the last run failed before this op
		return fmt.Errorf("alignment: the last run failed before computing it")
	}
	copy(dst, a.alpha[lo:hi])
	return nil
}
