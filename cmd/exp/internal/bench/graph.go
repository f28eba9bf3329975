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

// graphOp is one op of the models; flops is what a row costs forwards and backwards.
// Rows are words, or target words in a batch of pairs, and frozen.
type graphOp struct {
	name  string
	flops float64
	build func(x *ops.Node, weight func(rows, cols int) *ops.Node) *ops.Node
}

const benchWidth = 50 // of words and states

func graphOps() []graphOp {
	const d, h = benchWidth, benchWidth
	type weights = func(int, int) *ops.Node
	return []graphOp{
		// x·Wx and h·Wh forwards; backwards two products more for h·Wh, one for x·Wx.
		{"LSTM", 2 * 4 * h * (2*d + 3*h), func(x *ops.Node, w weights) *ops.Node {
			states, _ := ops.LSTM(x, w(d, 4*h), w(h, 4*h), w(1, 4*h), false)
			return states
		}},
		{"linear on words", 2 * 2 * d * h, func(x *ops.Node, w weights) *ops.Node { return ops.Linear(x, w(d, h), w(1, h)) }},
		// The scores and the sum, forwards and backwards.
		{"attention, one query", 2 * 4 * d, func(x *ops.Node, w weights) *ops.Node {
			a, _ := ops.Attend(w(1, d), x, 1)
			return ops.WeightedSum(a, x)
		}},
		{"attention, a query a review", 2*4*d + d, func(x *ops.Node, w weights) *ops.Node {
			a, _ := ops.Attend(ops.Linear(ops.Mean(x), w(d, d), w(1, d)), x, 1)
			return ops.WeightedSum(a, x)
		}},
		{"mean", d, func(x *ops.Node, _ weights) *ops.Node { return ops.Mean(x) }},
	}
}

// imdbLike is a batch shaped like IMDB's: 64 reviews with log-normal lengths of
// mean 268, longest first.
func imdbLike() *ragged.Batch {
	const reviews, sigma = 64, 0.7
	z := make([]float32, reviews)
	simd.Normal(z, simd.Key(1, "lengths"), 0, sigma)
	b := &ragged.Batch{Offsets: []int{0}}
	for i, v := range z {
		words := max(1, int(268*simd.Exp64(float64(v)-sigma*sigma/2)))
		b.Offsets = append(b.Offsets, b.Offsets[i]+words)
		b.Reviews = append(b.Reviews, int32(i))
		b.Labels = append(b.Labels, 0)
	}
	b.IDs = make([]int32, b.Offsets[reviews])
	return b
}

// benchGraph measures the ops in gorgonia's graph, as a training step runs them.
func benchGraph(ctx context.Context, a *cli.App) error {
	reviews, pairs := imdbLike(), sentencePairs()
	if err := measureGraph(ctx, a, graphOps(), reviews, benchWidth, fmt.Sprintf("%d reviews of %d words in all", reviews.Len(), reviews.Words())); err != nil {
		return err
	}
	return measureGraph(ctx, a, pairOps(), pairs, pairWidth, fmt.Sprintf("%d pairs of %d target words in all", pairs.Len(), pairs.Targets()))
}

// measureGraph prints a table of the rates of ops on a batch, whose rows have a width.
func measureGraph(ctx context.Context, a *cli.App, list []graphOp, batch *ragged.Batch, width int, what string) error {
	pool := ops.NewPool(a.Workers)
	defer pool.Close()
	t := term.NewTable(term.Column{Head: "op"}, term.Column{Head: "words/s", Right: true}, term.Column{Head: "GFLOP/s", Right: true})
	for _, o := range list {
		rate, err := o.rate(pool, batch, width)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		t.Add(o.name, format.SI(rate), strconv.FormatFloat(rate*o.flops/1e9, 'f', 1, 64))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	a.Heading(fmt.Sprintf("ops, forwards and backwards, %s, width %d, %d workers", what, width, a.Workers))
	return t.Text(a.IO, "  ")
}

// rate returns the rows a second of the op, followed by the smallest graph that turns its result into
// a cost.
func (o graphOp) rate(pool *ops.Pool, b *ragged.Batch, width int) (float64, error) {
	g := ops.NewGraph(pool, true)
	axis, rows := g.Words(), b.Words()
	if b.TargetOffsets != nil {
		axis, rows = g.Targets(), b.Targets()
	}
	x := g.Leaf("words", axis, width, false)
	var weights []*ops.Node
	weight := func(rows, cols int) *ops.Node {
		data := make([]float32, rows*cols)
		simd.Uniform(data, simd.Key(uint64(len(weights)), "bench"), -0.1, 0.1)
		n := g.Param("w", rows, cols, data)
		weights = append(weights, n)
		return n
	}
	y := o.build(x, weight)
	if y.Axis() == ops.Axis(axis) {
		y = ops.Mean(y)
	}
	cost := ops.Total(ops.Term{Node: ops.Linear(y, weight(y.Cols(), 1), nil), Weight: 1})
	if _, err := g.Grad(cost, weights...); err != nil {
		return 0, err
	}
	m, err := g.Machine()
	if err != nil {
		return 0, err
	}
	defer m.Close()
	data := make([]float32, rows*width)
	simd.Uniform(data, simd.Key(1, "words"), -1, 1)
	x.Set(ops.Mat{Rows: rows, Cols: width, Data: data})
	const rounds, least = 5, 100 * time.Millisecond
	best := 0.0
	for range rounds {
		words := 0
		began := time.Now()
		for time.Since(began) < least {
			if err := m.Run(b, 1); err != nil {
				return 0, err
			}
			words += rows
		}
		best = max(best, float64(words)/time.Since(began).Seconds())
	}
	return best, nil
}
