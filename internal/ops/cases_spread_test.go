package ops_test

import (
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// spreadCase puts the spread rows in front of those that they are spread to.
func spreadCase(name string, s, like input) opCase {
	return one(name, []input{s, like},
		func(in []*ops.Node) *ops.Node { return ops.Concat(ops.Spread(in[0], in[1]), in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refSpread(b, in[0], in[1]) })
}

var spreadCases = []opCase{
	spreadCase("spread reviews over words", input{onReviews, 0, 3}, input{onWords, 0, 2}),
	spreadCase("spread one row over words", input{onWeights, 1, 3}, input{onWords, 0, 2}),
	spreadCase("spread one row over reviews", input{onWeights, 1, 3}, input{onReviews, 0, 2}),
	spreadCase("nothing to spread", input{onReviews, 0, 3}, input{onReviews, 0, 2}),
}

func refSpread(b *ragged.Batch, s, like mat64) mat64 {
	y := newMat64(like.rows, s.cols+like.cols)
	for r := range b.Len() {
		lo, hi := b.Offsets[r], b.Offsets[r+1]
		if like.rows == b.Len() {
			lo, hi = r, r+1
		}
		for i := lo; i < hi; i++ {
			copy(y.row(i)[copy(y.row(i), s.row(min(r, s.rows-1))):], like.row(i))
		}
	}
	return y
}
