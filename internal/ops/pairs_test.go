package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"
)

// The axes of pairs follow the batch, are the same at each call, and share what
// belongs to a pair.
func TestPairAxes(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), false)
	past, now := g.Leaf("past", g.Past(), 2, false), g.Leaf("now", g.Targets(), 2, false)
	all := ops.Append(past, now)
	joined := all.Axis().(*ops.Seq)
	other := g.Leaf("other", g.Targets(), 2, false)
	require.Same(t, g.Targets(), g.Targets())
	require.Same(t, g.Past(), g.Past())
	require.Same(t, joined, ops.Append(past, other).Axis(), "of the same two axes")
	require.NotSame(t, joined, ops.Append(now, past).Axis())
	twice := ops.Append(all, other).Axis().(*ops.Seq)
	require.NoError(t, g.Err())
	rapid.Check(t, func(t *rapid.T) {
		b := batch(rapid.SliceOfN(rapid.IntRange(1, 60), 1, 80).Draw(t, "lengths")...)
		require.NoError(t, g.Lay(b))
		for r := range b.Len() {
			target, past := b.TargetOffsets[r+1]-b.TargetOffsets[r], b.PastOffsets[r+1]-b.PastOffsets[r]
			require.Equal(t, b.TargetOffsets[r+1], g.Targets().Offsets[r+1])
			require.Equal(t, b.PastOffsets[r+1], g.Past().Offsets[r+1])
			require.Equal(t, past+target, joined.Offsets[r+1]-joined.Offsets[r])
			require.Equal(t, past+2*target, twice.Offsets[r+1]-twice.Offsets[r])
		}
		for _, a := range []*ops.Seq{g.Targets(), g.Past(), joined, twice} {
			require.Same(t, g.Words().Reviews(), a.Reviews())
			cuts := ops.Cuts(a)
			require.Equal(t, a.Len(), cuts[len(cuts)-1])
		}
	})
}

// A batch of sentences is cut for several cores, a batch of reviews as ever: nothing
// that has been trained may change.
func TestPairsAreCutFiner(t *testing.T) {
	b := sentences(32)
	reviews, pairs := ops.NewGraph(newPool(t, 1), false), ops.NewGraph(newPool(t, 1), false)
	pairs.Targets()
	require.NoError(t, reviews.Lay(b))
	require.NoError(t, pairs.Lay(b))
	require.Len(t, ops.Cuts(reviews.Words()), 2, "of %d words", b.Words())
	require.GreaterOrEqual(t, len(ops.Cuts(pairs.Words())), 3)
	require.GreaterOrEqual(t, len(ops.Cuts(pairs.Targets())), 3)
}

// A batch with inconsistent targets is an error before any kernel runs. A batch
// without targets is valid for a graph that does not use them.
func TestRunRefusesPairs(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), false)
	table := weight(g, vocabulary, 2)
	source, target := ops.Embed(table, g.Words()), ops.Embed(table, g.Targets())
	past := g.Leaf("past", g.Past(), 2, false)
	ops.Append(past, target)
	loss := ops.VocabularyLoss(target, table, nil, 0)
	require.NoError(t, g.Err())
	m := machine(t, g)
	for _, c := range []struct {
		name  string
		spoil func(b *ragged.Batch)
		want  string
	}{
		{"no targets", func(b *ragged.Batch) { b.TargetOffsets = nil }, "batch: 0 offsets of target words for 2 pairs"},
		{"an offset too few", func(b *ragged.Batch) { b.TargetOffsets = b.TargetOffsets[:2] }, "batch: 2 offsets of target words for 2 pairs"},
		{"an offset too high", func(b *ragged.Batch) { b.TargetOffsets[0] = 1 }, "starting at 0"},
		{"an empty target", func(b *ragged.Batch) { b.TargetOffsets[1] = 0 }, "batch: pair 0 has no target words"},
		{"offsets falling", func(b *ragged.Batch) { b.TargetOffsets[1] = 9 }, "batch: pair 1 has no target words"},
		{"a word too few", func(b *ragged.Batch) { b.TargetIn = b.TargetIn[1:] }, "4 target words to read and 5 to write do not fit 5 rows from position 0"},
		{"a label too few", func(b *ragged.Batch) { b.TargetOut = b.TargetOut[1:] }, "5 target words to read and 4 to write"},
		{"before the start", func(b *ragged.Batch) { b.TargetStart = -1 }, "from position -1"},
		{"no past", func(b *ragged.Batch) { b.PastOffsets = nil }, "batch: 0 offsets of rows of the past for 2 pairs"},
		{"an empty past", func(b *ragged.Batch) { b.PastOffsets[2] = 1 }, "batch: pair 1 has no rows of the past"},
		{"a source word too high", func(b *ragged.Batch) { b.IDs[1] = vocabulary }, "embed: word 1 of the batch is row 11 of a table of 11"},
		{"a target word too low", func(b *ragged.Batch) { b.TargetIn[0] = -1 }, "embed: word 0 of the batch is row -1 of a table of 11"},
		{"no source words", func(b *ragged.Batch) { b.IDs = nil }, "embed: 0 words for 4 rows"},
		{"a label too high", func(b *ragged.Batch) { b.TargetOut[2] = vocabulary }, "vocabulary loss: label 11 of target row 2, but 11 words"},
		{"no labels", func(b *ragged.Batch) { b.TargetOut = nil }, "vocabulary loss: 0 labels for 5 target rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := batch(3, 1)
			b.TargetOffsets, b.TargetOut = []int{0, 3, 5}, []int32{1, 2, 3, 4, 5}
			b.TargetIn = []int32{5, 4, 3, 2, 1}
			past.Set(ops.Mat{Rows: 3, Cols: 2, Data: make([]float32, 6)})
			right := *b
			right.IDs, right.TargetIn, right.TargetOut = append([]int32(nil), b.IDs...), append([]int32(nil), b.TargetIn...), append([]int32(nil), b.TargetOut...)
			right.TargetOffsets, right.PastOffsets = append([]int(nil), b.TargetOffsets...), append([]int(nil), b.PastOffsets...)
			c.spoil(b)
			require.ErrorContains(t, m.Run(b, 0), c.want)
			require.NoError(t, m.Run(&right, 0))
			require.InDelta(t, 2.397895, loss.Mean.Mat().Data[0], 1e-6)
			require.Equal(t, 4, source.Mat().Rows)
		})
	}
	plain := ops.NewGraph(newPool(t, 1), false)
	ops.Embed(weight(plain, vocabulary, 2), plain.Words())
	b := batch(3, 1)
	b.TargetOffsets, b.TargetIn, b.TargetOut, b.PastOffsets = nil, nil, nil, nil
	require.NoError(t, machine(t, plain).Run(b, 0))
}

// Positions of targets count from the current decoding step, positions of words from 0.
func TestPositionsFromAStart(t *testing.T) {
	const start = 3
	g := ops.NewGraph(newPool(t, 1), true)
	x, words := g.Leaf("x", g.Targets(), 2, true), g.Leaf("words", g.Words(), 2, true)
	table, other := g.Param("table", 6, 2, random("table", 12)), g.Param("other", 6, 2, random("table", 12))
	learned, sines := ops.AddPositions(x, table), ops.Sinusoid(x, 10000, ops.Interleaved)
	source := ops.AddPositions(words, other)
	one := g.Param("one", 2, 1, []float32{1, 2})
	grads := must.Get(g.Grad(ops.Total(ops.Term{Node: ops.Linear(learned, one, nil), Weight: 1, Sum: true}), table))(t)
	m := machine(t, g)
	b := batch(4, 1) // with three target rows and two
	b.TargetStart = start
	set := func() {
		x.Set(ops.Mat{Rows: b.Targets(), Cols: 2, Data: random("x", 2*b.Targets())})
		words.Set(ops.Mat{Rows: b.Words(), Cols: 2, Data: random("x", 2*b.Words())})
	}
	set()
	require.NoError(t, m.Run(b, 0))
	pe := make([]float32, 2)
	for r := range b.Len() {
		for i := b.TargetOffsets[r]; i < b.TargetOffsets[r+1]; i++ {
			pos := start + i - b.TargetOffsets[r]
			ops.PositionEncoding(pe, pos, 2, 10000, ops.Interleaved)
			for j, v := range x.Mat().Row(i) {
				require.Equal(t, v+table.Mat().Row(pos)[j], learned.Mat().Row(i)[j])
				require.Equal(t, v+pe[j], sines.Mat().Row(i)[j])
			}
		}
	}
	require.Equal(t, words.Mat().Row(0)[0]+other.Mat().Row(0)[0], source.Mat().Row(0)[0])
	require.Equal(t, []float32{0, 0, 0, 0, 0, 0, 2, 4, 2, 4, 1, 2}, grads[0]().Data, "of the positions that were there")
	b.TargetStart = 4
	require.ErrorContains(t, m.Run(b, 0), "a review needs 7 positions, but 6 were learned")
}

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
