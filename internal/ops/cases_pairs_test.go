package ops_test

import (
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// refTargets returns the batch with the offsets of its targets as offsets of words.
func refTargets(b *ragged.Batch) *ragged.Batch {
	return &ragged.Batch{Offsets: b.TargetOffsets, Reviews: b.Reviews, Labels: b.Labels}
}

func embedCase(name string, words bool) opCase {
	return one(name, []input{{onWeights, vocabulary, 3}},
		func(in []*ops.Node) *ops.Node {
			g := in[0].Graph()
			if words {
				return ops.Embed(in[0], g.Words())
			}
			return ops.Embed(in[0], g.Targets())
		},
		func(b *ragged.Batch, in []mat64) mat64 {
			if words {
				return refEmbed(b.IDs, in[0])
			}
			return refEmbed(b.TargetIn, in[0])
		})
}

func vocabularyCase(name string, e int, bias bool, smoothing float64) opCase {
	c := opCase{name, []input{{onTargets, 0, e}, {onWeights, vocabulary, e}, {onWeights, 1, vocabulary}}, 1,
		func(in []*ops.Node) []*ops.Node {
			var b *ops.Node
			if bias {
				b = in[2]
			}
			l := ops.VocabularyLoss(in[0], in[1], b, smoothing)
			return []*ops.Node{l.Mean, l.Each, l.Predicted}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			z := refLinear(in[0], transposed(in[1]), nil)
			if bias {
				z = refLinear(in[0], transposed(in[1]), in[2].at)
			}
			return refVocabularyLoss(b.TargetOut, z, smoothing)
		}}
	if !bias {
		c.inputs = c.inputs[:2]
	}
	return c
}

func lstmFromCase(name string, x axis, d, h int) opCase {
	return opCase{name, []input{{x, 0, d}, {onWeights, d, 4 * h}, {onWeights, h, 4 * h}, {onWeights, 1, 4 * h}, {onReviews, 0, h}, {onReviews, 0, h}}, 3,
		func(in []*ops.Node) []*ops.Node {
			s, l, c := ops.LSTMFrom(in[0], in[1], in[2], in[3], in[4], in[5])
			return []*ops.Node{s, l, c}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			if x == onTargets {
				b = refTargets(b)
			}
			s, l, c := refLSTMFrom(b, in[0], in[1], in[2], in[3], in[4], in[5], false)
			return []mat64{s, l, c}
		}}
}

// pairCases are the ops for pairs of sentences, and older ops on the axis of targets.
var pairCases = []opCase{
	embedCase("pairs: embed words", true),
	embedCase("pairs: embed targets", false),
	vocabularyCase("pairs: vocabulary loss", 3, true, 0),
	vocabularyCase("pairs: vocabulary loss without bias", 5, false, 0),
	vocabularyCase("pairs: smoothed vocabulary loss", 3, true, 0.2),
	lstmFromCase("pairs: lstm from a state", onTargets, 3, 4),
	lstmFromCase("pairs: lstm on words from a state", onWords, 5, 3),
	{"pairs: lstm, reversed, with its last cell", []input{{onWords, 0, 3}, {onWeights, 3, 16}, {onWeights, 4, 16}, {onWeights, 1, 16}}, 3,
		func(in []*ops.Node) []*ops.Node {
			s, l, c := ops.LSTMLast(in[0], in[1], in[2], in[3], true)
			return []*ops.Node{s, l, c}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			zeros := newMat64(b.Len(), 4)
			s, l, c := refLSTMFrom(b, in[0], in[1], in[2], in[3], zeros, zeros, true)
			return []mat64{s, l, c}
		}},
	{"pairs: gru from a state", []input{{onTargets, 0, 3}, {onWeights, 3, 12}, {onWeights, 4, 12}, {onWeights, 1, 12}, {onWeights, 1, 12}, {onReviews, 0, 4}}, 2,
		func(in []*ops.Node) []*ops.Node {
			s, l := ops.GRUFrom(in[0], in[1], in[2], in[3], in[4], in[5])
			return []*ops.Node{s, l}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			s, l := refGRUFrom(refTargets(b), in[0], in[1], in[2], in[3], in[4], in[5], false)
			return []mat64{s, l}
		}},
	one("pairs: append targets to the past", []input{{onPast, 0, 3}, {onTargets, 0, 3}},
		func(in []*ops.Node) *ops.Node { return ops.Append(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 {
			return refAppend(b.PastOffsets, b.TargetOffsets, in[0], in[1])
		}),
	one("pairs: slice of rows", []input{{onWeights, 7, 3}},
		func(in []*ops.Node) *ops.Node { return ops.SliceRows(in[0], 2, 5) },
		func(_ *ragged.Batch, in []mat64) mat64 { return mat64{3, 3, in[0].at[2*3 : 5*3]} }),
	one("pairs: positions of targets", []input{{onTargets, 0, 2}, {onWeights, 1000, 2}},
		func(in []*ops.Node) *ops.Node { return ops.AddPositions(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refPositions(refTargets(b), in[0], in[1]) }),
	one("pairs: sinusoid of targets", []input{{onTargets, 0, 4}},
		func(in []*ops.Node) *ops.Node { return ops.Sinusoid(in[0], 10000, ops.Interleaved) },
		func(b *ragged.Batch, in []mat64) mat64 {
			return refSinusoid(refTargets(b), in[0], 10000, ops.Interleaved)
		}),
	one("pairs: linear on targets", []input{{onTargets, 0, 5}, {onWeights, 5, 3}},
		func(in []*ops.Node) *ops.Node { return ops.Linear(in[0], in[1], nil) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refLinear(in[0], in[1], nil) }),
}

func refEmbed(ids []int32, w mat64) mat64 {
	y := newMat64(len(ids), w.cols)
	for i, id := range ids {
		copy(y.row(i), w.row(int(id)))
	}
	return y
}

func refAppend(front, back []int, a, b mat64) mat64 {
	y := mat64{cols: a.cols, rows: a.rows + b.rows}
	for r := range len(front) - 1 {
		y.at = append(y.at, a.at[front[r]*a.cols:front[r+1]*a.cols]...)
		y.at = append(y.at, b.at[back[r]*b.cols:back[r+1]*b.cols]...)
	}
	return y
}

// refVocabularyLoss spells out the smoothed target.
func refVocabularyLoss(labels []int32, z mat64, smoothing float64) []mat64 {
	mean, each, predicted := newMat64(1, 1), newMat64(z.rows, 1), newMat64(z.rows, 1)
	var labelled float64
	for i, y := range labels {
		p, lse := refSoftmax(z.row(i))
		for v := range p {
			if p[v] > p[int(predicted.at[i])] {
				predicted.at[i] = float64(v)
			}
		}
		if y < 0 {
			continue
		}
		labelled++
		each.at[i] = lse - z.row(i)[y]
		for v, zv := range z.row(i) {
			t := smoothing / float64(z.cols)
			if v == int(y) {
				t += 1 - smoothing
			}
			mean.at[0] += t * (lse - zv)
		}
	}
	mean.at[0] /= max(labelled, 1)
	return []mat64{mean, each, predicted}
}
