package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
)

// graphOp is one op of the models, or a few, on rows of one width. The rows are words, or target words
// in a batch of pairs.
type graphOp struct {
	name  string
	batch *ragged.Batch
	width int
	flops float64 // of a row, forwards and backwards
	build func(x *ops.Node, weight func(rows, cols int) *ops.Node) *ops.Node
	grad  bool // also computes the gradient of the rows; without, they are frozen
}

// vocabulary is the number of words of the pairs.
const vocabulary = 5000

func graphOps() []graphOp {
	const d, h = 50, 50     // of words and states of reviews
	const d2, h2 = 128, 128 // of pairs
	type weights = func(int, int) *ops.Node
	reviews, pairs := imdbLike(), sentencePairs()
	list := []graphOp{
		// x·Wx and h·Wh forwards; backwards two products more for h·Wh, one for x·Wx.
		{"LSTM", reviews, d, 2 * 4 * h * (2*d + 3*h), func(x *ops.Node, w weights) *ops.Node {
			states, _ := ops.LSTM(x, w(d, 4*h), w(h, 4*h), w(1, 4*h), false)
			return states
		}, false},
		{"linear on words", reviews, d, 2 * 2 * d * h, func(x *ops.Node, w weights) *ops.Node {
			return ops.Linear(x, w(d, h), w(1, h))
		}, false},
		// The scores and the sum, forwards and backwards.
		{"attention, one query", reviews, d, 2 * 4 * d, func(x *ops.Node, w weights) *ops.Node {
			a, _ := ops.Attend(w(1, d), x, 1)
			return ops.WeightedSum(a, x)
		}, false},
		{"mean", reviews, d, d, func(x *ops.Node, _ weights) *ops.Node { return ops.Mean(x) }, false},
		// The table's rows are only copied and added: an element is one operation each way.
		{"embedding", pairs, d2, 2 * d2, func(x *ops.Node, w weights) *ops.Node {
			return ops.Add(x, ops.Embed(w(vocabulary, d2), x.Graph().Targets()))
		}, false},
		{"LSTM from a state", pairs, d2, 2 * 4 * h2 * (2*d2 + 3*h2), func(x *ops.Node, w weights) *ops.Node {
			zero := func() *ops.Node { return ops.Spread(w(1, h2), x.Graph().Words().Reviews()) }
			states, _, _ := ops.LSTMFrom(x, w(d2, 4*h2), w(h2, 4*h2), w(1, 4*h2), zero(), zero())
			return states
		}, false},
		// The map before the loss makes the gradient of its input necessary, as in a model.
		{"vocabulary loss", pairs, d2, 2 * (2*d2*d2 + 3*d2*vocabulary), func(x *ops.Node, w weights) *ops.Node {
			y := ops.Linear(x, w(d2, d2), nil)
			return ops.VocabularyLoss(y, w(vocabulary, d2), w(1, vocabulary), 0.1).Mean
		}, false},
	}
	list = append(list, scoreOps(reviews, pairs)...)
	// An element of the n×n scores costs 14 operations a column: two products forwards, and backwards
	// four and the scores again.
	for _, c := range []struct{ reviews, words int }{{4, 64}, {4, 256}, {1, 1024}, {16, 256}, {1, 2048}} {
		name := fmt.Sprintf("self-attention, %d × %d words", c.reviews, c.words)
		flops := 14 * float64(c.words*d)
		batch := reviewsOf(c.reviews, c.words)
		list = append(list, graphOp{name, batch, d, flops, func(x *ops.Node, _ weights) *ops.Node {
			other := func(stream uint64) *ops.Node {
				n := x.Graph().Leaf("other", x.Axis(), d, true)
				n.Set(ops.Mat{Rows: batch.Words(), Cols: d, Data: random(batch.Words()*d, stream, 1)})
				return n
			}
			out, _ := ops.SelfAttend(x, other(2), other(3), ops.SelfAttention{Heads: 1, Scale: 0.14})
			return out
		}, true})
	}
	return list
}

// scoreOps are the two ways to compare a query with a key at one width: q·k and v·tanh(W₁k + W₂q).
// Reviews have one query each, pairs one for each target word. A tanh counts as one operation.
func scoreOps(reviews, pairs *ragged.Batch) []graphOp {
	const d = 128
	type weights = func(int, int) *ops.Node
	query := func(x *ops.Node, w weights) *ops.Node { return ops.Linear(ops.Mean(x), w(d, d), w(1, d)) }
	source := func(x *ops.Node, w weights) (q, k, v *ops.Node) {
		v = ops.Embed(w(vocabulary, d), x.Graph().Words())
		return ops.Linear(x, w(d, d), nil), ops.Linear(v, w(d, d), nil), v
	}
	const maps = 2.0 * d * d * (2 + 3) // the maps of the frozen queries and of the keys
	scored := 0                        // source words, summed over the target words
	for i := range pairs.Len() {
		scored += (pairs.Offsets[i+1] - pairs.Offsets[i]) * (pairs.TargetOffsets[i+1] - pairs.TargetOffsets[i])
	}
	length := float64(scored) / float64(pairs.Targets())
	return []graphOp{
		// The words are frozen: no gradient of keys or values, but one of W₁.
		{"a query a review, dot product", reviews, d, 2*4*d + d, func(x *ops.Node, w weights) *ops.Node {
			a, _ := ops.Attend(query(x, w), x, 1)
			return ops.WeightedSum(a, x)
		}, false},
		{"a query a review, additive", reviews, d, 4*d*d + 11*d + 4*d + d, func(x *ops.Node, w weights) *ops.Node {
			z := ops.Tanh(ops.AddReview(ops.Linear(x, w(d, d), nil), query(x, w)))
			a, _ := ops.Attend(w(1, d), z, 1)
			return ops.WeightedSum(a, x)
		}, false},
		{"a query a target word, dot product", pairs, d, maps + 14*d*length, func(x *ops.Node, w weights) *ops.Node {
			q, k, v := source(x, w)
			out, _ := ops.Attention(q, k, v, ops.SelfAttention{Heads: 1, Scale: 1})
			return out
		}, false},
		{"a query a target word, additive", pairs, d, maps + 20*d*length, func(x *ops.Node, w weights) *ops.Node {
			q, k, v := source(x, w)
			out, _ := ops.AdditiveAttention(q, k, w(1, d), v)
			return out
		}, false},
	}
}

// imdbLike is a batch shaped like IMDB's: 64 reviews with log-normal lengths of
// mean 268.
func imdbLike() *ragged.Batch {
	const reviews, sigma = 64, 0.7
	z := make([]float32, reviews)
	simd.Normal(z, simd.Key(1, "lengths"), 0, sigma)
	lengths := make([]int, reviews)
	for i, v := range z {
		lengths[i] = max(1, int(268*simd.Exp64(float64(v)-sigma*sigma/2)))
	}
	return batchOf(lengths)
}

// reviewsOf returns a batch of reviews of equal length.
func reviewsOf(reviews, words int) *ragged.Batch {
	lengths := make([]int, reviews)
	for i := range lengths {
		lengths[i] = words
	}
	return batchOf(lengths)
}

// sentencePairs is a batch of 64 pairs of 3 to 25 words a side.
func sentencePairs() *ragged.Batch {
	lengths := make([]int, 64)
	for i := range lengths {
		lengths[i] = 3 + int(simd.Hash1(1, uint64(i))%23)
	}
	b := batchOf(lengths)
	for i := range b.IDs {
		b.IDs[i] = int32(simd.Hash1(2, uint64(i)) % vocabulary)
	}
	b.TargetIn, b.TargetOut, b.TargetOffsets = b.IDs, b.IDs, b.Offsets
	return b
}

func batchOf(lengths []int) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}, Labels: make([]int32, len(lengths))}
	for i, words := range lengths {
		b.Offsets = append(b.Offsets, b.Offsets[i]+words)
		b.Reviews = append(b.Reviews, int32(i))
	}
	b.IDs = make([]int32, b.Offsets[len(lengths)])
	return b
}

// benchOps measures the ops in gorgonia's graph, as a training step runs them.
func benchOps(ctx context.Context, a *cli.App) error {
	pool := ops.NewPool(a.Workers)
	defer pool.Close()
	t := term.NewTable(term.Column{Head: "op"}, term.Column{Head: "width", Right: true, Optional: 1},
		term.Column{Head: "words/s", Right: true}, term.Column{Head: "GFLOP/s", Right: true}, term.Column{Head: "share", Right: true})
	for _, o := range graphOps() {
		rows, matrix, err := o.rate(pool)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		t.Add(o.name, strconv.Itoa(o.width), format.SI(rows), strconv.FormatFloat(rows*o.flops/1e9, 'f', 1, 64),
			fmt.Sprintf("%.0f %%", 100*rows*o.flops/matrix/float64(a.Workers)))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	a.Heading(fmt.Sprintf("ops, forwards and backwards, %d workers", a.Workers))
	if err := t.Text(a.IO, "  "); err != nil {
		return err
	}
	a.Say("words/s: words of reviews, or target words of pairs", "  ", "    ")
	a.Say("share: of as many cores running A·B 256×50×256, measured in turns", "  ", "    ")
	return nil
}

// rate returns the rows a second of the op, followed by the smallest graph that turns its result into
// a cost, and the operations a second of a matrix product on one core.
func (o graphOp) rate(pool *ops.Pool) (rowsPerSecond, matrix float64, err error) {
	g := ops.NewGraph(pool, true)
	axis, rows := g.Words(), o.batch.Words()
	if o.batch.TargetOffsets != nil {
		axis, rows = g.Targets(), o.batch.Targets()
	}
	x := g.Leaf("words", axis, o.width, o.grad)
	var trained []*ops.Node
	weight := func(rows, cols int) *ops.Node {
		n := g.Param("w", rows, cols, random(rows*cols, uint64(len(trained)), 0.1))
		trained = append(trained, n)
		return n
	}
	y := o.build(x, weight)
	if y.Axis() == ops.Axis(axis) {
		y = ops.Mean(y)
	}
	cost := ops.Total(ops.Term{Node: ops.Linear(y, weight(y.Cols(), 1), nil), Weight: 1})
	if o.grad {
		trained = append(trained, x)
	}
	if _, err := g.Grad(cost, trained...); err != nil {
		return 0, 0, err
	}
	m, err := g.Machine()
	if err != nil {
		return 0, 0, err
	}
	defer m.Close()
	x.Set(ops.Mat{Rows: rows, Cols: o.width, Data: random(rows*o.width, 1, 1)})
	step := func() int {
		if err == nil {
			err = m.Run(o.batch, 1)
		}
		return rows
	}
	best := rates(60*time.Millisecond, step, product(simd.NN).kernel("", 256, 50, 256, 50, 256).run)
	return best[0], best[1], err
}
