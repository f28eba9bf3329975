package ops_test

import (
	"fmt"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

type weightOf = func(rows, cols int) *ops.Node

// benchmark is an op with its work in operations, forwards and backwards, and the product of the
// matrix kernel with which BenchmarkShare compares it, rows × k × cols.
type benchmark struct {
	opCase
	data   *ragged.Batch
	frozen bool // its first input has no gradient
	work   float64
	kernel [3]int
}

// imdb is a batch like IMDB's: 64 reviews with log-normal lengths of mean 268.
func imdb() *ragged.Batch {
	const sigma = 0.7
	z := make([]float32, 64)
	simd.Normal(z, simd.Key(1, "lengths"), 0, sigma)
	lengths := make([]int, len(z))
	for i, v := range z {
		lengths[i] = max(1, int(268*simd.Exp64(float64(v)-sigma*sigma/2)))
	}
	return batch(lengths...)
}

// benchmarks returns all benchmarks: recurrent layers and ops on words of width d, self-attention of
// width d (14·n²·d operations), and the ops of decoders at several widths.
func benchmarks() (out []benchmark) {
	const d = 50
	reviews, texts, pairs := imdb(), sentences(64), pairsOf(slices.Repeat([][2]int{{14, 14}}, 64)...)
	targets := float64(pairs.Targets())
	on := func(data *ragged.Batch, name string, work float64, kernel [3]int, c opCase) *benchmark {
		c.name = name
		out = append(out, benchmark{opCase: c, data: data, work: work, kernel: kernel})
		return &out[len(out)-1]
	}
	words := func(name string, flops float64, c opCase) { // of flops operations a word
		on(reviews, name, float64(reviews.Words())*flops, [3]int{512, d, d}, c)
	}
	x, row, square := input{onWords, 0, d}, input{onWeights, 1, d}, input{onWeights, d, d}
	attended := func(query func(in []*ops.Node) *ops.Node, keys func(in []*ops.Node) *ops.Node, inputs ...input) opCase {
		return one("", append([]input{x}, inputs...), func(in []*ops.Node) *ops.Node {
			a, _ := ops.Attend(query(in), keys(in), 1)
			return ops.WeightedSum(a, in[0])
		}, nil)
	}
	self := func(in []*ops.Node) *ops.Node { return in[0] }
	ofReview := func(in []*ops.Node) *ops.Node { return ops.Linear(ops.Mean(in[0]), in[1], in[2]) }
	words("mean", 2*d, one("", []input{x}, func(in []*ops.Node) *ops.Node { return ops.Mean(in[0]) }, nil))
	words("linear", 2*3*d*d, linearCase("", x, d, true))
	words("attention, one query", 2*6*d, attended(func(in []*ops.Node) *ops.Node { return in[1] }, self, row))
	words("attention, a query a review", 2*6*d+2*d, attended(ofReview, self, square, row))
	words("additive, a query a review", 6*d*d+11*d+6*d, attended(func(in []*ops.Node) *ops.Node { return in[4] }, func(in []*ops.Node) *ops.Node {
		return ops.Tanh(ops.AddReview(ops.Linear(in[0], in[3], nil), ofReview(in)))
	}, square, row, square, row))
	words("dropout", 2*d, dropoutCase("", x, 0.5))
	words("layer norm", d, layerNormCase("", x, 1e-5))
	words("batch norm", d, batchNormCase("", x, 1e-5))
	words("slot norm", d, one("", []input{x, {onWeights, 64, 1}, {onWeights, 64, 1}},
		func(in []*ops.Node) *ops.Node { return ops.SlotNorm(ops.Pad(in[0]), in[1], in[2], d) }, nil))
	words("gelu", d, mapCase("", x, ops.GELU, nil))
	words("sinusoid", d, sinusoidCase("", x, 10000, ops.Interleaved))

	layer := func(name string, h, gates int, c opCase) *benchmark {
		o := on(reviews, name, float64(reviews.Words()*gates*2*h*(2*d+3*h)), [3]int{512, h, gates * h}, c)
		o.frozen = true
		return o
	}
	layer("rnn", d, 1, rnnCase("", d, d, false))
	for _, h := range []int{50, 100, 200, 300} {
		layer(fmt.Sprintf("lstm, %d", h), h, 4, lstmCase("", d, h, false))
		layer(fmt.Sprintf("gru, %d", h), h, 3, gruCase("", d, h, false))
	}
	trained := layer("lstm, trained words", d, 4, lstmCase("", d, d, false))
	trained.frozen, trained.work = false, trained.work*6/5
	forth, back := lstmCase("", d, d, false), lstmCase("", d, d, true)
	both := one("", slices.Concat(forth.inputs, forth.inputs[1:]), func(in []*ops.Node) *ops.Node {
		return ops.Concat(forth.build(in)[0], back.build([]*ops.Node{in[0], in[4], in[5], in[6]})[0])
	}, nil)
	layer("lstm, both directions", d, 4, both).work *= 2

	for _, o := range []ops.SelfAttention{{Heads: 1}, {Heads: 5}, {Heads: 1, Dropout: 0.1}, {Heads: 1, OverQueries: true}} {
		o.Scale = 0.3
		for _, n := range []int{64, 256, 1024} {
			on(batch(n, n, n, n), fmt.Sprintf("self-attention, n %d, heads %d, dropout %v, over queries %v", n, o.Heads, o.Dropout > 0, o.OverQueries),
				4*14*d*float64(n*n), [3]int{256, d, 256}, attentionCase("", onWords, d/o.Heads, d/o.Heads, o))
		}
	}
	for _, w := range []int{64, 128} {
		on(pairs, fmt.Sprintf("additive attention of pairs, %d", w), 6*targets*14*float64(w), [3]int{64, w, 3 * w}, additiveCase("", w, w))
		on(pairs, fmt.Sprintf("Bahdanau's decoder, %d", w), 6*targets*float64(7*w*w), [3]int{64, w, 3 * w}, bahdanauCase("", w, w, w))
		on(texts, fmt.Sprintf("lstm of a decoder, %d", w), 2*4*float64(w*6*w*texts.Targets()), [3]int{64, w, 4 * w}, lstmFromCase("", onTargets, w, w))
	}
	for i := range texts.TargetOut {
		texts.TargetOut[i] = int32(simd.Hash1(1, uint64(i)) % 500)
	}
	for _, words := range []int{500, 5000, 10000} {
		const e = 128
		on(texts, fmt.Sprintf("vocabulary loss, %d words", words), 6*float64(texts.Targets()*e*words), [3]int{texts.Targets(), e, words},
			one("", []input{{onTargets, 0, e}, {onWeights, words, e}, {onWeights, 1, words}},
				func(in []*ops.Node) *ops.Node { return ops.VocabularyLoss(in[0], in[1], in[2], 0.1).Mean }, nil))
	}
	return out
}

// start returns the machine of a benchmark on one worker, with a small cost, after its first run.
func (o *benchmark) start(b *testing.B) *ops.Machine {
	n := &circuit{opCase: o.opCase, g: ops.NewGraph(newPool(b, 1), true)}
	for i, x := range o.inputs {
		n.in = append(n.in, n.leaf(fmt.Sprint("in", i), x, i > 0 || !o.frozen))
	}
	y := o.build(n.in)[0]
	if y.Axis() == n.g.Words() || y.Axis() == n.g.TargetsIfAny() {
		y = ops.Mean(y)
	}
	if y.Cols() > 1 {
		y = ops.Linear(y, n.param("out", y.Cols(), 1), nil)
	}
	leaves := n.in
	if o.frozen {
		leaves = leaves[1:]
	}
	must.Get(n.g.Grad(ops.Total(ops.Term{Node: y, Weight: 1}), leaves...))(b)
	m := machine(b, n.g)
	n.set(o.data)
	require.NoError(b, m.Run(o.data, step))
	return m
}

// BenchmarkOp measures every op at the current level.
func BenchmarkOp(b *testing.B) {
	for _, o := range benchmarks() {
		b.Run(o.name, func(b *testing.B) {
			m := o.start(b)
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Run(o.data, step); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(o.work*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			b.ReportMetric(float64(o.data.Words())*float64(b.N)/b.Elapsed().Seconds(), "words/s")
		})
	}
}
