package ops_test

import (
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

func layerNormCase(name string, x input, eps float64) opCase {
	return one(name, []input{x, {onWeights, 1, x.cols}, {onWeights, 1, x.cols}},
		func(in []*ops.Node) *ops.Node { return ops.LayerNorm(in[0], in[1], in[2], eps) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refLayerNorm(in[0], in[1], in[2], eps) })
}

func batchNormCase(name string, x input, eps float64) opCase {
	return one(name, []input{x, {onWeights, 1, x.cols}, {onWeights, 1, x.cols}},
		func(in []*ops.Node) *ops.Node {
			return ops.BatchNorm(in[0], in[1], in[2], newStats(x.cols), ops.BatchNorming{Epsilon: eps, Momentum: 0.1})
		},
		func(_ *ragged.Batch, in []mat64) mat64 { return refBatchNorm(in[0], in[1], in[2], eps) })
}

// paddedNormCase is a batch norm on a padded axis, with or without the padding in its statistics.
func paddedNormCase(name string, cols int, without bool) opCase {
	return one(name, []input{{onPadded, 0, cols}, {onWeights, 1, cols}, {onWeights, 1, cols}},
		func(in []*ops.Node) *ops.Node {
			return ops.BatchNorm(in[0], in[1], in[2], newStats(cols), ops.BatchNorming{Epsilon: 1e-2, Momentum: 0.1, WithoutPadding: without})
		},
		func(b *ragged.Batch, in []mat64) mat64 {
			if !without {
				return refBatchNorm(in[0], in[1], in[2], 1e-2)
			}
			return refUnpaddedNorm(b, in[0], in[1], in[2], 1e-2)
		})
}

func newStats(d int) *ops.BatchStats {
	s := &ops.BatchStats{Mean: make([]float32, d), Var: make([]float32, d)}
	for j := range s.Var {
		s.Var[j] = 1
	}
	return s
}

// testSlots are as many as the largest batch of the tests has reviews.
const testSlots = 64

func slotNormCase(name string, cols int, eps float64) opCase {
	return one(name, []input{{onPadded, 0, cols}, {onWeights, testSlots, 1}, {onWeights, testSlots, 1}},
		func(in []*ops.Node) *ops.Node { return ops.SlotNorm(in[0], in[1], in[2], eps) },
		func(b *ragged.Batch, in []mat64) mat64 { return refSlotNorm(b, in[0], in[1], in[2], eps) })
}

// normCases are the normalisations and what else has a parameter for training.
var normCases = []opCase{
	layerNormCase("layer norm on words", input{onWords, 0, 5}, 1e-5),
	layerNormCase("layer norm on reviews", input{onReviews, 0, 17}, 1e-5),
	batchNormCase("batch norm on words", input{onWords, 0, 5}, 1e-2),
	batchNormCase("batch norm on reviews", input{onReviews, 0, 3}, 1e-2),
	batchNormCase("batch norm of fronted", input{onFronted, 0, 3}, 1e-2),
	paddedNormCase("batch norm of padded", 3, false),
	paddedNormCase("batch norm without padding", 5, true),
	slotNormCase("slot norm", 3, 0.3),
	slotNormCase("slot norm as published", 2, 50),
	{"smoothed cross-entropy", []input{{onReviews, 0, 3}}, 1,
		func(in []*ops.Node) []*ops.Node {
			l := ops.CrossEntropy(in[0], 0.1, nil)
			return []*ops.Node{l.Mean, l.Each, l.Scores}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			_, e, s := refCrossEntropy(b, in[0])
			return []mat64{refSmoothed(b, in[0], 0.1), e, s}
		}},
	{"weighted cross-entropy", []input{{onReviews, 0, 3}}, 1,
		func(in []*ops.Node) []*ops.Node {
			l := ops.CrossEntropy(in[0], 0, []float32{0.5, 2, 4})
			return []*ops.Node{l.Mean, l.Each, l.Scores}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			_, e, s := refCrossEntropy(b, in[0])
			mean := newMat64(1, 1)
			for r, loss := range e.at {
				if y := b.Labels[r]; y >= 0 {
					mean.at[0] += []float64{0.5, 2, 4}[y] * loss / float64(len(e.at))
				}
			}
			return []mat64{mean, e, s}
		}},
}
