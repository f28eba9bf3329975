package ops_test

import (
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// one makes a case of an op with one result.
func one(name string, inputs []input, build func(in []*ops.Node) *ops.Node, ref func(b *ragged.Batch, in []mat64) mat64) opCase {
	return opCase{name, inputs, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{build(in)} },
		func(b *ragged.Batch, in []mat64) []mat64 { return []mat64{ref(b, in)} }}
}

func sinusoidCase(name string, x input, base float64, layout ops.PositionLayout) opCase {
	return one(name, []input{x},
		func(in []*ops.Node) *ops.Node { return ops.Sinusoid(in[0], base, layout) },
		func(b *ragged.Batch, in []mat64) mat64 {
			if x.axis == onFronted {
				b = refFronted(b)
			}
			return refSinusoid(b, in[0], base, layout)
		})
}

func similarityCase(name string, rows, cols, heads int) opCase {
	return one(name, []input{{onWeights, rows, cols}},
		func(in []*ops.Node) *ops.Node { return ops.HeadSimilarity(in[0], heads) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refSimilarity(in[0], heads) })
}

// axisCases are the ops that move between token axes, depend on positions, or
// connect layers; and the older ops on a derived axis.
var axisCases = []opCase{
	one("prepend", []input{{onWords, 0, 5}, {onWeights, 1, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Prepend(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refPrepend(b, in[0], in[1]) }),
	one("first", []input{{onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.First(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refFirst(b, in[0]) }),
	one("first of fronted", []input{{onFronted, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.First(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refFirst(refFronted(b), in[0]) }),
	one("padded by pad", []input{{onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Pad(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refPad(b, in[0]) }),
	one("mean of fronted", []input{{onFronted, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mean(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refMean(refFronted(b), in[0]) }),
	one("padded mean", []input{{onPadded, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mean(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refMean(refPadded(b), in[0]) }),
	one("padded linear", []input{{onPadded, 0, 5}, {onWeights, 5, 3}},
		func(in []*ops.Node) *ops.Node { return ops.Linear(in[0], in[1], nil) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refLinear(in[0], in[1], nil) }),

	sinusoidCase("sinusoid", input{onWords, 0, 5}, 10000, ops.Interleaved),
	sinusoidCase("sinusoid of fronted", input{onFronted, 0, 4}, 1000, ops.Interleaved),
	sinusoidCase("sinusoid in halves", input{onWords, 0, 6}, 10000, ops.Halves),
	sinusoidCase("sinusoid in halves, odd", input{onWords, 0, 5}, 10000, ops.Halves),
	one("joined sinusoid", []input{{onWords, 0, 3}},
		func(in []*ops.Node) *ops.Node { return ops.JoinSinusoid(in[0], 4, 100, ops.Interleaved) },
		func(b *ragged.Batch, in []mat64) mat64 { return refJoined(b, in[0], 4, 100, ops.Interleaved) }),
	one("joined sinusoid of fronted", []input{{onFronted, 0, 3}},
		func(in []*ops.Node) *ops.Node { return ops.JoinSinusoid(in[0], 5, 10000, ops.Halves) },
		func(b *ragged.Batch, in []mat64) mat64 { return refJoined(refFronted(b), in[0], 5, 10000, ops.Halves) }),
	one("positions", []input{{onWords, 0, 2}, {onWeights, 5100, 2}},
		func(in []*ops.Node) *ops.Node { return ops.AddPositions(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refPositions(b, in[0], in[1]) }),

	one("add on words", []input{{onWords, 0, 5}, {onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Add(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAdd(in[0], in[1]) }),
	one("add on reviews", []input{{onReviews, 0, 5}, {onReviews, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Add(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAdd(in[0], in[1]) }),
	one("mul on words", []input{{onWords, 0, 5}, {onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mul(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refMul(in[0], in[1]) }),
	one("mul on reviews", []input{{onReviews, 0, 5}, {onReviews, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mul(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refMul(in[0], in[1]) }),
	one("average on words", []input{{onWords, 0, 5}, {onWords, 0, 5}, {onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Average(in...) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAverage(in) }),
	one("average on reviews", []input{{onReviews, 0, 2}, {onReviews, 0, 2}},
		func(in []*ops.Node) *ops.Node { return ops.Average(in...) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAverage(in) }),
	one("add review", []input{{onWords, 0, 5}, {onReviews, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.AddReview(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refAddReview(b, in[0], in[1]) }),
	one("add review to fronted", []input{{onFronted, 0, 3}, {onReviews, 0, 3}},
		func(in []*ops.Node) *ops.Node { return ops.AddReview(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refAddReview(refFronted(b), in[0], in[1]) }),
	mapCase("sigmoid on words", input{onWords, 0, 5}, ops.Sigmoid, refSigmoid),
	mapCase("sigmoid on reviews", input{onReviews, 0, 2}, ops.Sigmoid, refSigmoid),
	mapCase("gelu on words", input{onWords, 0, 5}, ops.GELU, refGELU),
	mapCase("gelu on weights", input{onWeights, 2, 3}, ops.GELU, refGELU),
	mapCase("scale", input{onWords, 0, 5}, func(x *ops.Node) *ops.Node { return ops.Scale(x, -1.75) }, func(v float64) float64 { return -1.75 * v }),
	similarityCase("head similarity", 5, 12, 3),
	similarityCase("head similarity, single columns", 7, 4, 4),
}
