package ops_test

import (
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

func spreadCase(name string, s input, words bool) opCase {
	return one(name, []input{s},
		func(in []*ops.Node) *ops.Node {
			axis := ops.Axis(in[0].Graph().Words())
			if !words {
				axis = in[0].Graph().Words().Reviews()
			}
			return ops.Spread(in[0], axis)
		},
		func(b *ragged.Batch, in []mat64) mat64 { return refSpread(b, in[0], words) })
}

var spreadCases = []opCase{
	spreadCase("spread reviews over words", input{onReviews, 0, 3}, true),
	spreadCase("spread one row over words", input{onWeights, 1, 3}, true),
	spreadCase("spread one row over reviews", input{onWeights, 1, 3}, false),
}

func refSpread(b *ragged.Batch, s mat64, words bool) mat64 {
	y := newMat64(0, s.cols)
	for r := range b.Len() {
		n := 1
		if words {
			n = b.Offsets[r+1] - b.Offsets[r]
		}
		for range n {
			y.at = append(y.at, s.row(min(r, s.rows-1))...)
			y.rows++
		}
	}
	return y
}
