package ops_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

type weightOf = func(rows, cols int) *ops.Node

// bench is a graph for a benchmark: an op on one worker, forwards and backwards, with a small cost.
type bench struct {
	*ops.Graph
	data   *ragged.Batch
	leaves []*ops.Node // with gradients
}

// in adds an input of random numbers, with gradients.
func (c *bench) in(axis ops.Axis, rows, cols int) *ops.Node {
	n := c.Leaf("x", axis, cols, true)
	n.Set(ops.Mat{Rows: rows, Cols: cols, Data: random("x", rows*cols)})
	c.leaves = append(c.leaves, n)
	return n
}

// words adds the words of the reviews, with or without gradients.
func (c *bench) words(cols int, trained bool) *ops.Node {
	if trained {
		return c.in(c.Words(), c.data.Words(), cols)
	}
	n := c.Leaf("x", c.Words(), cols, false)
	n.Set(ops.Mat{Rows: c.data.Words(), Cols: cols, Data: random("x", c.data.Words()*cols)})
	return n
}

// w adds weights.
func (c *bench) w(rows, cols int) *ops.Node {
	data := random("w", rows*cols)
	simd.Scale(data, 0.2)
	n := c.Param("w", rows, cols, data)
	c.leaves = append(c.leaves, n)
	return n
}

// benchmark is an op with its work in operations, and the product of the matrix kernel with which
// BenchmarkShare compares it, rows × k × cols; zeros for none.
type benchmark struct {
	name   string
	data   *ragged.Batch
	work   float64
	kernel [3]int
	build  func(c *bench) *ops.Node
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

// evenPairs is a batch of pairs of the same lengths.
func evenPairs(pairs, words, rows int) *ragged.Batch {
	lengths := make([][2]int, pairs)
	for i := range lengths {
		lengths[i] = [2]int{words, rows}
	}
	return pairsOf(lengths...)
}

// benchmarks returns all benchmarks: recurrent layers and ops on words of width d, self-attention of
// width d (14·n²·d operations), and the ops of decoders at several widths.
func benchmarks() []benchmark {
	const d = 50
	reviews, pairs, texts := imdb(), evenPairs(64, 14, 14), sentences(64)
	words, targets := float64(reviews.Words()), float64(pairs.Targets())
	lstm := func(c *bench, x *ops.Node, h int, reverse bool) *ops.Node {
		states, _ := ops.LSTM(x, c.w(x.Cols(), 4*h), c.w(h, 4*h), c.w(1, 4*h), reverse)
		return states
	}
	query := func(c *bench, x *ops.Node) *ops.Node { return ops.Linear(ops.Mean(x), c.w(d, d), c.w(1, d)) }
	attended := func(q, keys, x *ops.Node) *ops.Node {
		a, _ := ops.Attend(q, keys, 1)
		return ops.WeightedSum(a, x)
	}
	onWords := func(name string, flops float64, trained bool, build func(c *bench, x *ops.Node) *ops.Node) benchmark {
		return benchmark{name, reviews, words * flops, [3]int{512, d, d}, func(c *bench) *ops.Node { return build(c, c.words(d, trained)) }}
	}
	out := []benchmark{
		onWords("mean", 2*d, true, func(_ *bench, x *ops.Node) *ops.Node { return ops.Mean(x) }),
		onWords("linear", 2*3*d*d, true, func(c *bench, x *ops.Node) *ops.Node { return ops.Linear(x, c.w(d, d), c.w(1, d)) }),
		onWords("attention, one query", 2*6*d, true, func(c *bench, x *ops.Node) *ops.Node { return attended(c.w(1, d), x, x) }),
		onWords("attention, a query a review", 2*6*d+2*d, true, func(c *bench, x *ops.Node) *ops.Node { return attended(query(c, x), x, x) }),
		onWords("additive, a query a review", 6*d*d+11*d+6*d, true, func(c *bench, x *ops.Node) *ops.Node {
			return attended(c.w(1, d), ops.Tanh(ops.AddReview(ops.Linear(x, c.w(d, d), nil), query(c, x))), x)
		}),
		onWords("rnn", 2*d*5*d, false, func(c *bench, x *ops.Node) *ops.Node {
			states, _ := ops.RNN(x, c.w(d, d), c.w(d, d), c.w(1, d), false)
			return states
		}),
		onWords("dropout", 2*d, true, func(c *bench, x *ops.Node) *ops.Node { return ops.Dropout(x, "bench", 0.5) }),
		onWords("layer norm", d, true, func(c *bench, x *ops.Node) *ops.Node { return ops.LayerNorm(x, c.w(1, d), c.w(1, d), 1e-5) }),
		onWords("batch norm", d, true, func(c *bench, x *ops.Node) *ops.Node {
			return ops.BatchNorm(x, c.w(1, d), c.w(1, d), newStats(d), ops.BatchNorming{Epsilon: 1e-5, Momentum: 0.1})
		}),
		onWords("slot norm", d, true, func(c *bench, x *ops.Node) *ops.Node {
			return ops.SlotNorm(ops.Pad(x), c.w(64, 1), c.w(64, 1), d)
		}),
		onWords("gelu", d, true, func(_ *bench, x *ops.Node) *ops.Node { return ops.GELU(x) }),
		onWords("sinusoid", d, true, func(_ *bench, x *ops.Node) *ops.Node { return ops.Sinusoid(x, 10000, ops.Interleaved) }),
	}
	add := func(name string, data *ragged.Batch, work float64, rows, k, cols int, build func(c *bench) *ops.Node) {
		out = append(out, benchmark{name, data, work, [3]int{rows, k, cols}, build})
	}
	for _, h := range []int{50, 100, 200, 300} {
		work := words * float64(2*h*(2*d+3*h))
		add(fmt.Sprintf("lstm, %d", h), reviews, 4*work, 512, h, 4*h, func(c *bench) *ops.Node { return lstm(c, c.words(d, false), h, false) })
		add(fmt.Sprintf("gru, %d", h), reviews, 3*work, 512, h, 3*h, func(c *bench) *ops.Node {
			states, _ := ops.GRU(c.words(d, false), c.w(d, 3*h), c.w(h, 3*h), c.w(1, 3*h), c.w(1, 3*h), false)
			return states
		})
	}
	add("lstm, trained words", reviews, words*2*4*d*6*d, 512, d, 4*d, func(c *bench) *ops.Node { return lstm(c, c.words(d, true), d, false) })
	add("lstm, both directions", reviews, words*2*2*4*d*5*d, 512, d, 4*d, func(c *bench) *ops.Node {
		x := c.words(d, false)
		return ops.Concat(lstm(c, x, d, false), lstm(c, x, d, true))
	})
	for _, o := range []ops.SelfAttention{{Heads: 1}, {Heads: 5}, {Heads: 1, Dropout: 0.1, Name: "bench"}, {Heads: 1, OverQueries: true}} {
		o.Scale = 0.3
		for _, n := range []int{64, 256, 1024} {
			add(fmt.Sprintf("self-attention, n %d, heads %d, dropout %v, over queries %v", n, o.Heads, o.Dropout > 0, o.OverQueries), batch(n, n, n, n),
				4*14*d*float64(n*n), 256, d, 256, func(c *bench) *ops.Node {
					y, _ := ops.SelfAttend(c.words(d, true), c.words(d, true), c.words(d, true), o)
					return y
				})
		}
	}
	for _, w := range []int{64, 128} {
		add(fmt.Sprintf("additive attention of pairs, %d", w), pairs, 6*targets*14*float64(w), 64, w, 3*w, func(c *bench) *ops.Node {
			q, k, x := c.in(c.Targets(), c.data.Targets(), w), c.words(w, true), c.words(w, true)
			y, _ := ops.AdditiveAttention(q, k, c.w(1, w), x)
			return y
		})
		add(fmt.Sprintf("Bahdanau's decoder, %d", w), pairs, 6*targets*float64(7*w*w), 64, w, 3*w, func(c *bench) *ops.Node {
			y, first := c.in(c.Targets(), c.data.Targets(), 3*w), c.in(c.Words().Reviews(), c.data.Len(), w)
			states, _, _, _ := ops.BahdanauGRU(y, c.words(w, true), c.words(w, true), first, c.w(w, w), c.w(1, w), c.w(w, 3*w), c.w(w, 3*w), c.w(1, 3*w))
			return states
		})
		add(fmt.Sprintf("lstm of a decoder, %d", w), texts, 2*4*float64(w*6*w*texts.Targets()), 64, w, 4*w, func(c *bench) *ops.Node {
			x, h, m := c.in(c.Targets(), c.data.Targets(), w), c.in(c.Words().Reviews(), c.data.Len(), w), c.in(c.Words().Reviews(), c.data.Len(), w)
			states, _, _ := ops.LSTMFrom(x, c.w(w, 4*w), c.w(w, 4*w), c.w(1, 4*w), h, m)
			return states
		})
	}
	for _, words := range []int{500, 5000, 10000} {
		const e = 128
		for i := range texts.TargetOut {
			texts.TargetOut[i] = int32(simd.Hash1(1, uint64(i)) % 500)
		}
		add(fmt.Sprintf("vocabulary loss, %d words", words), texts, 6*float64(texts.Targets()*e*words), texts.Targets(), e, words, func(c *bench) *ops.Node {
			return ops.VocabularyLoss(c.in(c.Targets(), c.data.Targets(), e), c.w(words, e), c.w(1, words), 0.1).Mean
		})
	}
	return out
}

// start returns the machine of a benchmark after its first run.
func (o *benchmark) start(b *testing.B) *ops.Machine {
	c := &bench{Graph: ops.NewGraph(newPool(b, 1), true), data: o.data}
	y := o.build(c)
	if y.Axis() == c.Words() || y.Axis() == c.Targets() {
		y = ops.Mean(y)
	}
	if y.Cols() > 1 {
		y = ops.Linear(y, c.w(y.Cols(), 1), nil)
	}
	_, err := c.Grad(ops.Total(ops.Term{Node: y, Weight: 1}), c.leaves...)
	require.NoError(b, err)
	m, err := c.Machine()
	require.NoError(b, err)
	b.Cleanup(func() { m.Close() })
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
