package ops_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"

	"github.com/stretchr/testify/require"
)

// The formulas of Bahdanau et al. 2015 in float64, written down a second time, one
// number after the other. Pair b has the source words words[b] … words[b+1] and the
// target rows targets[b] … targets[b+1].

// refAlign returns the context of a query q and the entropy of its weights on the
// source words lo … hi.
func refAlign(q []float64, k, v, h mat64, lo, hi int) (context []float64, entropy float64) {
	scores := make([]float64, hi-lo)
	for j := range scores {
		for u, x := range q {
			scores[j] += v.at[u] * math.Tanh(x+k.row(lo + j)[u])
		}
	}
	alpha, lse := refSoftmax(scores)
	context = make([]float64, h.cols)
	for j, p := range alpha {
		entropy -= p * (scores[j] - lse)
		for c, x := range h.row(lo + j) {
			context[c] += p * x
		}
	}
	return context, entropy
}

func refAdditive(words, targets []int, q, k, v, h mat64) (context, entropy mat64) {
	context, entropy = newMat64(q.rows, h.cols), newMat64(len(words)-1, 1)
	for b := range entropy.rows {
		for i := targets[b]; i < targets[b+1]; i++ {
			c, e := refAlign(q.row(i), k, v, h, words[b], words[b+1])
			copy(context.row(i), c)
			entropy.at[b] += e / float64(targets[b+1]-targets[b])
		}
	}
	return context, entropy
}

// additiveCase has queries of width a and values of width d.
func additiveCase(name string, a, d int) opCase {
	return opCase{name, []input{{onTargets, 0, a}, {onWords, 0, a}, {onWeights, 1, a}, {onWords, 0, d}}, 2,
		func(in []*ops.Node) []*ops.Node {
			c, e := ops.AdditiveAttention(in[0], in[1], in[2], in[3])
			return []*ops.Node{c, e}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			c, e := refAdditive(b.Offsets, b.TargetOffsets, in[0], in[1], in[2], in[3])
			return []mat64{c, e}
		}}
}

var (
	additive = additiveCase("pairs: additive attention", 4, 3)
	bahdanau = bahdanauCase("pairs: Bahdanau's GRU", 3, 4, 5)
)

func init() {
	cases = append(cases, additive, inTwo(bahdanau))
}

// The same bits at widths that no vector length divides.
func TestWidePairs(t *testing.T) {
	b := sentences(sizes(40, 40, 10))
	sameBits(t, additiveCase("pairs: additive attention, wide", 37, 21), b)
	sameBits(t, bahdanauCase("pairs: Bahdanau's GRU, wide", 17, 37, 21), b)
}

// pairsOf returns a batch of pairs with the given numbers of source words and target rows.
func pairsOf(lengths ...[2]int) *ragged.Batch {
	var words []int
	for _, l := range lengths {
		words = append(words, l[0])
	}
	b := batch(words...)
	b.TargetOffsets = []int{0}
	for i, l := range lengths {
		b.TargetOffsets = append(b.TargetOffsets, b.TargetOffsets[i]+l[1])
	}
	b.TargetIn = make([]int32, b.TargetOffsets[b.Len()])
	b.TargetOut = nil
	return b
}

// requireSame compares what two circuits make of a batch: the results of the first, and
// the gradients that it has.
func requireSame(t *testing.T, want, got *circuit, b *ragged.Batch, tolerance float64) {
	want.run(t, b)
	got.run(t, b)
	for r, y := range want.out {
		require.InDeltaSlice(t, y.Mat().Data, got.out[r].Mat().Data, tolerance, "result %d", r)
	}
	for i, grad := range want.grads {
		if grad != nil {
			require.InDeltaSlice(t, grad().Data, got.grads[i]().Data, 10*tolerance, "input %d", i)
		}
	}
}

// One target row: what Attend makes of tanh(k + q).
func TestAdditiveAttentionOfOneRow(t *testing.T) {
	composed := additive
	composed.build = func(in []*ops.Node) []*ops.Node {
		query := ops.Mean(in[0]) // of one row
		alpha, e := ops.Attend(in[2], ops.Tanh(ops.AddReview(in[1], query)), 1)
		return []*ops.Node{ops.WeightedSum(alpha, in[3]), e}
	}
	pool := newPool(t, 1)
	requireSame(t, assemble(t, composed, pool, all), assemble(t, additive, pool, all), pairsOf([][2]int{{5, 1}, {1, 1}, {40, 1}}...), 1e-7)
}

// The bits of values and gradients on the CPU where they were written: with other
// levels, compilers and purego.
func TestAdditiveBitsArePinned(t *testing.T) {
	sum := fnv.New64a()
	for _, c := range []opCase{additive, bahdanau} {
		n := assemble(t, c, newPool(t, 1), all)
		n.run(t, sentences(10))
		for _, m := range n.mats()[1:] { // the cost goes through other ops
			for _, v := range m.Data {
				sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
			}
		}
	}
	require.Equal(t, uint64(0x778447fbfafc3198), sum.Sum64())
}
