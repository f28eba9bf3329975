package bench

import (
	"context"
	"fmt"
	"strconv"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/term"
)

// scoreOps are the two ways to compare a query with a key, q·k and v·tanh(W₁k + W₂q), at
// one width: for reviews a query of each, for pairs one of each target row, which looks
// up length source words on average. A tanh counts as one operation.
func scoreOps(length float64) (reviews, pairs []graphOp) {
	const d = pairWidth
	type weights = func(int, int) *ops.Node
	query := func(x *ops.Node, w weights) *ops.Node { return ops.Linear(ops.Mean(x), w(d, d), w(1, d)) }
	// The words are frozen: no gradient of keys or values, but one of W₁.
	reviews = []graphOp{
		{"a query a review: dot product", 2*4*d + d, func(x *ops.Node, w weights) *ops.Node {
			a, _ := ops.Attend(query(x, w), x, 1)
			return ops.WeightedSum(a, x)
		}},
		{"a query a review: additive", 4*d*d + 11*d + 4*d + d, func(x *ops.Node, w weights) *ops.Node {
			z := ops.Tanh(ops.AddReview(ops.Linear(x, w(d, d), nil), query(x, w)))
			a, _ := ops.Attend(w(1, d), z, 1)
			return ops.WeightedSum(a, x)
		}},
	}
	// Both have a map for the queries and one for the keys; the additive scores have v.
	source := func(x *ops.Node, w weights) (q, k, v *ops.Node) {
		v = ops.Embed(w(pairVocabulary, d), x.Graph().Words())
		return ops.Linear(x, w(d, d), nil), ops.Linear(v, w(d, d), nil), v
	}
	maps := 2.0 * d * d * (2 + 3) // of frozen queries, and of keys
	pairs = []graphOp{
		{"a query a target word: dot product", maps + 14*d*length, func(x *ops.Node, w weights) *ops.Node {
			q, k, v := source(x, w)
			out, _ := ops.Attention(q, k, v, ops.SelfAttention{Heads: 1, Scale: 1})
			return out
		}},
		{"a query a target word: additive", maps + 20*d*length, func(x *ops.Node, w weights) *ops.Node {
			q, k, v := source(x, w)
			out, _ := ops.AdditiveAttention(q, k, w(1, d), v)
			return out
		}},
	}
	return reviews, pairs
}

// benchScores compares the two in one table, as training steps run them.
func benchScores(ctx context.Context, a *cli.App) error {
	pool := ops.NewPool(a.Workers)
	defer pool.Close()
	reviews, pairs := imdbLike(), sentencePairs()
	looked := 0 // source words, by all target rows
	for i := range pairs.Len() {
		words := pairs.Offsets[i+1] - pairs.Offsets[i]
		looked += words * (pairs.TargetOffsets[i+1] - pairs.TargetOffsets[i])
	}
	ofReviews, ofPairs := scoreOps(float64(looked) / float64(pairs.Targets()))
	t := term.NewTable(term.Column{Head: "scores"}, term.Column{Head: "words/s", Right: true},
		term.Column{Head: "GFLOP/s", Right: true}, term.Column{Head: "time", Right: true})
	for _, s := range []struct {
		list  []graphOp
		batch *ragged.Batch
	}{{ofReviews, reviews}, {ofPairs, pairs}} {
		first := 0.0
		for _, o := range s.list {
			rate, err := o.rate(pool, s.batch, pairWidth)
			if err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			if first == 0 {
				first = rate
			}
			t.Add(o.name, format.SI(rate), strconv.FormatFloat(rate*o.flops/1e9, 'f', 1, 64), strconv.FormatFloat(first/rate, 'f', 1, 64)+" ×")
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	a.Heading(fmt.Sprintf("dot product against additive attention, forwards and backwards, width %d, %d workers", pairWidth, a.Workers))
	if err := t.Text(a.IO, "  "); err != nil {
		return err
	}
	a.Say(fmt.Sprintf("words of %d reviews, target words of %d pairs; time: of the dot product's", reviews.Len(), pairs.Len()), "  ", "    ")
	return nil
}
