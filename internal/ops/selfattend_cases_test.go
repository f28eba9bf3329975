package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// attentionCase has queries on the axis of q; keys and values lie on words.
func attentionCase(name string, q axis, dk, dv int, o ops.SelfAttention) opCase {
	o.Name = "test"
	return opCase{name, []input{{q, 0, o.Heads * dk}, {onWords, 0, o.Heads * dk}, {onWords, 0, o.Heads * dv}}, 2,
		func(in []*ops.Node) []*ops.Node {
			attend := ops.Attention
			if q == onWords {
				attend = ops.SelfAttend
			}
			y, h := attend(in[0], in[1], in[2], o)
			return []*ops.Node{y, h}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			y, h := refAttention(b, in[0], in[1], in[2], o)
			return []mat64{y, h}
		}}
}

var attentionCases = []opCase{
	attentionCase("attention, one head", onWords, 5, 3, ops.SelfAttention{Heads: 1, Scale: 1}),
	attentionCase("attention, three heads", onWords, 2, 3, ops.SelfAttention{Heads: 3, Scale: 2}),
	attentionCase("attention over the queries", onWords, 3, 2, ops.SelfAttention{Heads: 2, Scale: 1.5, OverQueries: true}),
	attentionCase("attention, causal", onWords, 3, 4, ops.SelfAttention{Heads: 2, Scale: 1.5, Causal: true}),
	attentionCase("attention across axes", onFronted, 3, 4, ops.SelfAttention{Heads: 2, Scale: 1.5}),
	attentionCase("attention across axes over the queries", onFronted, 3, 4, ops.SelfAttention{Heads: 1, Scale: 1.5, OverQueries: true}),
	attentionCase("dropout in attention", onWords, 3, 4, ops.SelfAttention{Heads: 2, Scale: 1.5, Dropout: 0.3}),
	attentionCase("dropout in attention over the queries", onWords, 3, 4, ops.SelfAttention{Heads: 2, Scale: 1.5, Dropout: 0.3, OverQueries: true}),
	attentionCase("dropout in causal attention", onWords, 3, 4, ops.SelfAttention{Heads: 2, Scale: 1.5, Dropout: 0.3, Causal: true}),
}

// quadratic tells whether the op's work grows with the square of a review's length.
func (c opCase) quadratic() bool { return c.is("attention", "dropout in") }

// longTail is the batch of that name, unless its longest reviews would take the op
// minutes: then a shorter one, with reviews of several tiles and, where there is time, three
// slices of keys.
func (c opCase) longTail(n int) *ragged.Batch {
	switch {
	case c.is("pairs"):
		return sentences(40)
	case !c.quadratic():
		return longTail(n)
	case testing.Short():
		return batch(270, 1, 129, 2)
	case long():
		return batch(1025, 1, 129, 128, 20, 2)
	}
	return batch(257, 1, 129, 128, 2)
}

// refAttention writes the whole matrix down. Queries lie on words, or on words with
// a row more in front of each review.
func refAttention(b *ragged.Batch, q, k, v mat64, o ops.SelfAttention) (out, entropy mat64) {
	dk, dv := k.cols/o.Heads, v.cols/o.Heads
	out, entropy = newMat64(q.rows, v.cols), newMat64(b.Len(), o.Heads)
	front := (q.rows - b.Words()) / b.Len()
	for r := range b.Len() {
		first, last := b.Offsets[r], b.Offsets[r+1]
		query, queries, keys := first+r*front, last-first+front, last-first
		for h := range o.Heads {
			s := newMat64(queries, keys)
			for i := range queries {
				si, qi := s.row(i), q.row(query + i)[h*dk:][:dk]
				for j := range si {
					if o.Causal && j > i {
						si[j] = math.Inf(-1)
						continue
					}
					for c, v := range k.row(first + j)[h*dk:][:dk] {
						si[j] += float64(o.Scale) * qi[c] * v
					}
				}
			}
			p, mean := refNormalise(s, o.OverQueries)
			entropy.row(r)[h] = mean
			if o.Dropout > 0 {
				refThin(p, int(b.Reviews[r]), h, o)
			}
			for i := range queries {
				to := out.row(query + i)[h*dv:][:dv]
				for j, pij := range p.row(i) {
					for c, v := range v.row(first + j)[h*dv:][:dv] {
						to[c] += pij * v
					}
				}
			}
		}
	}
	return out, entropy
}

// refNormalise returns the softmax of each row, or of each column, and the mean of
// their entropies.
func refNormalise(s mat64, columns bool) (p mat64, entropy float64) {
	if columns {
		p, entropy = refNormalise(transposed(s), false)
		return transposed(p), entropy
	}
	p = newMat64(s.rows, s.cols)
	for i := range s.rows {
		row, lse := refSoftmax(s.row(i))
		copy(p.row(i), row)
		for j, si := range s.row(i) {
			if v := row[j]; v > 0 {
				entropy -= v * (si - lse) / float64(s.rows)
			}
		}
	}
	return p, entropy
}

func transposed(m mat64) mat64 {
	t := newMat64(m.cols, m.rows)
	for i := range m.rows {
		for j, v := range m.row(i) {
			t.at[j*t.cols+i] = v
		}
	}
	return t
}

// refThin computes the dropout mask of each element of P from its key.
func refThin(p mat64, review, head int, o ops.SelfAttention) {
	key := simd.Hash3(simd.Key(seed, "attention/"+o.Name), step, uint64(review), uint64(head))
	keys := func(side uint64, n int) (out []uint32) {
		for i := range n {
			out = append(out, uint32(simd.Hash2(key, side, uint64(i))>>32))
		}
		return out
	}
	mask := make([]float32, p.rows*p.cols)
	simd.Fill(mask, 1)
	simd.DropoutGrid(mask, p.rows, p.cols, p.cols, keys(0, p.rows), keys(1, p.cols), o.Dropout)
	for i, kept := range mask {
		p.at[i] *= float64(kept)
	}
}

// anyAttention draws settings and widths of a head.
func anyAttention(t *rapid.T) (o ops.SelfAttention, dk, dv int) {
	o = ops.SelfAttention{
		Heads: rapid.IntRange(1, 3).Draw(t, "heads"),
		Scale: rapid.Float32Range(0.1, 3).Draw(t, "scale"),
		Name:  "test",
	}
	switch rapid.SampledFrom([]string{"plain", "over", "causal"}).Draw(t, "kind") {
	case "over":
		o.OverQueries = true
	case "causal":
		o.Causal = true
	}
	width := rapid.IntRange(1, 20)
	return o, width.Draw(t, "dk"), width.Draw(t, "dv")
}

func anyBatch(t *rapid.T, longest int) *ragged.Batch {
	return batch(rapid.SliceOfN(rapid.IntRange(1, longest), 1, 4).Draw(t, "lengths")...)
}

// Values and entropies for any lengths, widths, heads and settings.
func TestAttentionOfAnyShape(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o, dk, dv := anyAttention(rt)
		o.Dropout = rapid.SampledFrom([]float32{0, 0.4}).Draw(rt, "dropout")
		b := anyBatch(rt, 150)
		a := attendingWith(t, 2, true, dk, dv, o)
		a.run(t, b)
		in := func(i, cols int) mat64 { return wide(b.Words(), o.Heads*cols, a.data[i]) }
		out, h := refAttention(b, in(0, dk), in(1, dk), in(2, dv), o)
		closeTo(t, out.at, a.out.Mat(), 2e-5)
		closeTo(t, h.at, a.h.Mat(), 2e-5)
	})
}

// Without positions self-attention does not depend on the order of the words: each word
// has the same row, and the entropy is the same.
func TestSelfAttentionKnowsNoOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o, dk, dv := anyAttention(rt)
		o.Causal = false
		n := rapid.IntRange(1, 200).Draw(rt, "words")
		order := rapid.Permutation(count(n)).Draw(rt, "order")
		a, moved := attendingWith(t, 2, false, dk, dv, o), attendingWith(t, 2, false, dk, dv, o)
		b := batch(n)
		a.run(t, b)
		moved.set(b)
		for i, x := range []*ops.Node{a.q, a.k, a.v} {
			for to, from := range order {
				copy(moved.data[i][to*x.Cols():][:x.Cols()], x.Mat().Row(from))
			}
		}
		require.NoError(t, moved.machine.Run(b, step))
		for to, from := range order {
			requireNear(t, a.out.Mat().Row(from), moved.out.Mat().Row(to), 2e-5, "row %d", to)
		}
		require.InDeltaSlice(t, a.h.Mat().Data, moved.h.Mat().Data, 2e-5)
	})
}

func count(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}
