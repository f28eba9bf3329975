package ops_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
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
		requireNear(t, y.Mat().Data, got.out[r].Mat().Data, tolerance, "result %d", r)
	}
	for i, grad := range want.grads {
		if grad != nil {
			requireNear(t, grad().Data, got.grads[i]().Data, 10*tolerance, "input %d", i)
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

// aligns is an op whose target rows attend to source words: its case, and where its
// values, contexts and entropies are among inputs and results.
type aligns struct {
	opCase
	heads, values, context, entropy int
}

var aligning = []aligns{
	{additive, 1, 3, 0, 1},
	{bahdanau, 1, 1, 1, 3},
	{attentionCase("cross attention, two heads", onTargets, 3, 4, ops.SelfAttention{Heads: 2, Scale: 1.5}), 2, 2, 0, 1},
}

// Every row of weights of a run, trained or not: they sum to one, the sum of the
// values times them is the row's context, and the mean of their entropies is the
// pair's, which lies between 0 and log n.
func TestAlignment(t *testing.T) {
	for _, c := range aligning {
		for _, untrained := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, trained %v", c.name, !untrained), func(t *testing.T) {
				n := assemble(t, c.opCase, newPool(t, 1), wiring{results: 15, untrained: untrained})
				require.ErrorContains(t, n.out[0].Alignment(make([]float32, 3), 0, 0, 0), "has not run yet")
				length := rapid.IntRange(1, 30)
				pair := rapid.Custom(func(t *rapid.T) [2]int { return [2]int{length.Draw(t, "words"), length.Draw(t, "rows")} })
				rapid.Check(t, func(rt *rapid.T) {
					b := pairsOf(rapid.SliceOfN(pair, 1, 6).Draw(rt, "pairs")...)
					n.run(t, b)
					for pair := range b.Len() {
						for head := range c.heads {
							c.check(rt, n, b, pair, head)
						}
					}
				})
			})
		}
	}
}

func (c aligns) check(t require.TestingT, n *circuit, b *ragged.Batch, pair, head int) {
	values, context := n.in[c.values].Mat(), n.out[c.context]
	lo, words := b.Offsets[pair], b.Offsets[pair+1]-b.Offsets[pair]
	first, rows := b.TargetOffsets[pair], b.TargetOffsets[pair+1]-b.TargetOffsets[pair]
	weights, width := make([]float32, words), values.Cols/c.heads
	var entropy float64
	for i := range rows {
		require.NoError(t, context.Alignment(weights, pair, head, i))
		var sum float64
		want := make([]float64, width)
		for j, w := range weights {
			if w < 0 || w != w {
				require.Failf(t, "no weight", "%v", w)
			}
			sum += float64(w)
			if w > 0 {
				entropy -= float64(w) * math.Log(float64(w)) / float64(rows)
			}
			for u := range want {
				want[u] += float64(w) * float64(values.Row(lo + j)[head*width+u])
			}
		}
		require.InDelta(t, 1, sum, 1e-6)
		requireNear(t, want, context.Mat().Row(first + i)[head*width:][:width], 2e-6, "context %d", i)
	}
	got := n.out[c.entropy].Mat().Row(pair)[head]
	require.InDelta(t, entropy, got, 2e-6)
	require.GreaterOrEqual(t, got, float32(0))
	require.LessOrEqual(t, float64(got), math.Log(float64(words))+1e-6)
}

func TestAlignmentErrors(t *testing.T) {
	for _, c := range []opCase{additive, bahdanau} {
		n := assemble(t, c, newPool(t, 1), wiring{results: 1, untrained: true})
		n.run(t, pairsOf([2]int{3, 2}, [2]int{2, 4}))
		three := make([]float32, 3)
		for _, y := range n.out { // any of its results
			require.NoError(t, y.Alignment(three, 0, 0, 1))
		}
		for _, at := range [][3]int{{2, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 2}, {0, 0, -1}} {
			require.ErrorContains(t, n.out[0].Alignment(three, at[0], at[1], at[2]), "no target row")
		}
		require.ErrorContains(t, n.out[0].Alignment(three, 1, 0, 3), "3 places for the weights of 2 source words")
		require.ErrorContains(t, n.in[0].Alignment(three, 0, 0, 0), "not a result of attention")
	}
}

// Scores of which only differences can be computed: every row attends to the same
// word, and no gradient is NaN.
func TestSaturatedAlignment(t *testing.T) {
	n := assemble(t, additive, newPool(t, 1), all)
	b := pairsOf([2]int{3, 2})
	n.set(b)
	simd.Fill(n.inData[0], 1e10)
	simd.Fill(n.inData[1], -1e30)
	simd.Fill(n.inData[1][4:8], 1e30)
	simd.Fill(n.inData[2], 1e20)
	require.NoError(t, n.machine.Run(b, step))
	weights := make([]float32, 3)
	for i := range 2 {
		require.NoError(t, n.out[0].Alignment(weights, 0, 0, i))
		require.Equal(t, []float32{0, 1, 0}, weights)
	}
	require.Zero(t, n.out[1].Mat().Data[0])
	for i, grad := range n.grads {
		for _, v := range grad().Data {
			require.False(t, math.IsNaN(float64(v)), "input %d", i)
		}
	}
}

// Where an op cannot attend, the graph's error says why.
func TestAlignmentMistakes(t *testing.T) {
	type leaves = map[string]func(g *ops.Graph) *ops.Node
	leaf := func(axis func(g *ops.Graph) ops.Axis, cols int) func(g *ops.Graph) *ops.Node {
		return func(g *ops.Graph) *ops.Node { return g.Leaf("x", axis(g), cols, true) }
	}
	words := func(g *ops.Graph) ops.Axis { return g.Words() }
	targets := func(g *ops.Graph) ops.Axis { return g.Targets() }
	reviews := func(g *ops.Graph) ops.Axis { return g.Words().Reviews() }
	weight := func(rows, cols int) func(g *ops.Graph) *ops.Node {
		return func(g *ops.Graph) *ops.Node { return g.Param("w", rows, cols, make([]float32, rows*cols)) }
	}
	for _, c := range []struct {
		name, input string
		give        func(g *ops.Graph) *ops.Node
		want        string
	}{
		{"additive", "q", weight(3, 4), "axes of rows of the same reviews"},
		{"additive", "q", leaf(reviews, 4), "axes of rows of the same reviews"},
		{"additive", "k", leaf(targets, 4), "different axes"},
		{"additive", "h", leaf(targets, 5), "different axes"},
		{"additive", "q", leaf(targets, 3), "q [·, 3], k [·, 4]"},
		{"additive", "v", weight(1, 5), "v [1, 5]"},
		{"additive", "v", weight(2, 4), "v [2, 4]"},
		{"additive", "v", leaf(reviews, 4), "one row"},
		{"Bahdanau", "yx", weight(3, 9), "axes of rows of the same reviews"},
		{"Bahdanau", "h", leaf(targets, 5), "different axes"},
		{"Bahdanau", "s0", weight(2, 3), "a state [B, 3] for each review"},
		{"Bahdanau", "s0", leaf(reviews, 2), "do not fit together"},
		{"Bahdanau", "yx", leaf(targets, 8), "yx [·, 8]"},
		{"Bahdanau", "w2", weight(4, 4), "W2 [4, 4]"},
		{"Bahdanau", "w2", weight(3, 5), "W2 [3, 5]"},
		{"Bahdanau", "v", weight(1, 3), "v [1, 3]"},
		{"Bahdanau", "wc", weight(4, 9), "Wc [4, 9]"},
		{"Bahdanau", "wc", weight(5, 8), "Wc [5, 8]"},
		{"Bahdanau", "wh", weight(4, 9), "Wh [4, 9]"},
		{"Bahdanau", "bh", weight(1, 8), "bh [1, 8]"},
		{"Bahdanau", "bh", weight(3, 9), "bh [3, 9]"},
	} {
		t.Run(c.name+" "+c.input+", "+c.want, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			at := leaves{
				"q": leaf(targets, 4), "k": leaf(words, 4), "h": leaf(words, 5), "v": weight(1, 4),
				"yx": leaf(targets, 9), "s0": leaf(reviews, 3), "w2": weight(3, 4), "wc": weight(5, 9), "wh": weight(3, 9), "bh": weight(1, 9),
			}
			at[c.input] = c.give
			if c.name == "additive" {
				ops.AdditiveAttention(at["q"](g), at["k"](g), at["v"](g), at["h"](g))
			} else {
				ops.BahdanauGRU(at["yx"](g), at["h"](g), at["k"](g), at["s0"](g), at["w2"](g), at["v"](g), at["wc"](g), at["wh"](g), at["bh"](g))
			}
			require.ErrorContains(t, g.Err(), c.want)
		})
	}
}
