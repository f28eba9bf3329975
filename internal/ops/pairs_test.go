package ops_test

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
