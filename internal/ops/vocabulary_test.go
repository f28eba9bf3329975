package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
)

var nan = float32(math.NaN())

// The loss, the likeliest word and the gradient of rows given as logits: x is [M, 1] and
// w [V, 1] of ones, so that the bias alone tells the words apart.
func TestVocabularyLossOfRows(t *testing.T) {
	for _, c := range []struct {
		name      string
		logits    []float32
		labels    []int32
		each      []float64
		mean      float64
		predicted float32
		grad      []float64 // of the logits, summed over the rows
	}{
		{"even", []float32{0, 0, 0, 0}, []int32{2}, []float64{math.Log(4)}, math.Log(4), 0, []float64{0.25, 0.25, -0.75, 0.25}},
		{"the first of equals", []float32{1, 5, 5, 1}, []int32{1}, []float64{math.Log(2 + 2*math.Exp(-4))}, math.Log(2 + 2*math.Exp(-4)), 1, nil},
		{"sure", []float32{0, 100, 0}, []int32{1}, []float64{0}, 0, 1, []float64{0, 0, 0}},
		{"surely wrong", []float32{0, 100, 0}, []int32{2}, []float64{100}, 100, 1, []float64{0, 1, -1}},
		{"too large for exp", []float32{-1e30, 1e30}, []int32{1}, []float64{0}, 0, 1, []float64{0, 0}},
		{"one word", []float32{7}, []int32{0}, []float64{0}, 0, 0, []float64{0}},
		{"a row without a label", []float32{0, 0}, []int32{0, -1, 1}, []float64{math.Ln2, 0, math.Ln2}, math.Ln2, 0, []float64{0, 0}},
		{"no label at all", []float32{3, 4}, []int32{-1, -1}, []float64{0, 0}, 0, 1, []float64{0, 0}},
		{"not numbers", []float32{1, nan, 3}, []int32{-1}, []float64{0}, 0, -1, []float64{0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, training := range []bool{true, false} {
				g := ops.NewGraph(newPool(t, 1), training)
				words := len(c.logits)
				x, w, bias := g.Leaf("x", g.Targets(), 1, false), weight(g, words, 1), g.Param("bias", 1, words, c.logits)
				l := ops.VocabularyLoss(x, w, bias, 0)
				var grad func() ops.Mat
				if training {
					grads := must.Get(g.Grad(ops.Total(ops.Term{Node: l.Mean, Weight: 1}), bias))(t)
					grad = grads[0]
				}
				m := machine(t, g)
				b := batch(1)
				rows := len(c.labels)
				b.TargetIn, b.TargetOut, b.TargetOffsets = make([]int32, rows), c.labels, []int{0, rows}
				x.Set(ops.Mat{Rows: rows, Cols: 1, Data: make([]float32, rows)})
				require.NoError(t, m.Run(b, 0))
				require.InDeltaSlice(t, c.each, l.Each.Mat().Data, 1e-6)
				require.InDelta(t, c.mean, l.Mean.Mat().Data[0], 1e-6)
				for _, p := range l.Predicted.Mat().Data {
					require.Equal(t, c.predicted, p)
				}
				if training && c.grad != nil {
					require.InDeltaSlice(t, c.grad, grad().Data, 1e-6)
				}
			}
		})
	}
}

// The likeliest of many words: the first of equals, wherever it stands.
func TestLikeliestOfMany(t *testing.T) {
	z := random("z", 3000)
	for i, v := range z {
		z[i] = -float32(math.Abs(float64(v))) - 1
	}
	require.Equal(t, -1, ops.Likeliest(append(make([]float32, 600), nan, 9)))
	require.Equal(t, -1, ops.Likeliest(append([]float32{nan}, z...)))
	for _, at := range []int{0, 1, 255, 256, 257, 511, 512, 2999} {
		for _, again := range []int{at, at + 1, at + 256, 2999} {
			y := append([]float32(nil), z...)
			y[at], y[min(again, 2999)] = 0, 0
			require.Equal(t, at, ops.Likeliest(y), "and %d", again)
		}
	}
}

// Log-probabilities agree with the loss, their exponentials sum to one, and they have the same bits at
// every level, for any number of workers and with any other rows.
func TestVocabularyScores(t *testing.T) {
	const words, e = 300, 5 // more than two blocks of rows, words that no vector divides
	b := sentences(30)
	rows := b.Targets()
	for i := range b.TargetOut {
		b.TargetOut[i] = int32(simd.Hash1(1, uint64(i)) % words)
	}
	run := func(workers, n int) (scores, each ops.Mat) {
		g := ops.NewGraph(newPool(t, workers), false)
		x := g.Leaf("x", g.Targets(), e, false)
		w, bias := g.Param("w", words, e, random("w", words*e)), g.Param("bias", 1, words, random("bias", words))
		y, loss := ops.VocabularyScores(x, w, bias), ops.VocabularyLoss(x, w, bias, 0)
		m := machine(t, g)
		part := *b
		if n < rows {
			part = *only(b, 0)
		}
		x.Set(ops.Mat{Rows: n, Cols: e, Data: random("x", rows*e)[:n*e]})
		require.NoError(t, m.Run(&part, 0))
		return y.Mat(), loss.Each.Mat()
	}
	want, each := run(1, rows)
	for i, y := range b.TargetOut {
		require.InDelta(t, each.Data[i], -want.Row(i)[y], 1e-6)
		var sum float64
		for _, v := range want.Row(i) {
			sum += math.Exp(float64(v))
		}
		require.InDelta(t, 1, sum, 1e-5)
	}
	everyLevel(t, func(l simd.Level) {
		got, _ := run(3, rows)
		require.Equal(t, want.Data, got.Data, "%v", l)
		got, _ = run(1, b.TargetOffsets[1])
		require.Equal(t, want.Data[:len(got.Data)], got.Data, "%v, one pair", l)
	})
}

// Only the mean of the loss is differentiated, and log-probabilities not at all.
func TestVocabularyHasOneCost(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		cost func(x, w *ops.Node) *ops.Node
	}{
		"losses of rows": {"only the mean can be part of a cost", func(x, w *ops.Node) *ops.Node { return ops.VocabularyLoss(x, w, nil, 0).Each }},
		"scores": {"are only for decoding", func(x, w *ops.Node) *ops.Node {
			return ops.Linear(ops.VocabularyScores(x, w, nil), weight(w.Graph(), vocabulary, 1), nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			x, w := g.Leaf("x", g.Targets(), 2, true), weight(g, vocabulary, 2)
			must.Get(g.Grad(ops.Total(ops.Term{Node: c.cost(x, w), Weight: 1}), x))(t)
			b := batch(2)
			x.Set(ops.Mat{Rows: b.Targets(), Cols: 2, Data: make([]float32, 2*b.Targets())})
			require.ErrorContains(t, machine(t, g).Run(b, 0), c.want)
		})
	}
}

// Weights shared between the table and the loss get both gradients: what two weights of
// the same numbers get together.
func TestTiedWeights(t *testing.T) {
	b := sentences(20)
	grads := func(tied bool) [][]float32 {
		g := ops.NewGraph(newPool(t, 1), true)
		table := g.Param("table", vocabulary, 3, random("table", vocabulary*3))
		leaves, out := []*ops.Node{table}, table
		if !tied {
			out = g.Param("out", vocabulary, 3, random("table", vocabulary*3))
			leaves = append(leaves, out)
		}
		loss := ops.VocabularyLoss(ops.Tanh(ops.Embed(table, g.Targets())), out, nil, 0.1)
		fs := must.Get(g.Grad(ops.Total(ops.Term{Node: loss.Mean, Weight: 1}), leaves...))(t)
		require.NoError(t, machine(t, g).Run(b, 0))
		var got [][]float32
		for _, f := range fs {
			got = append(got, append([]float32(nil), f().Data...))
		}
		return got
	}
	apart, together := grads(false), grads(true)
	simd.Add(apart[0], apart[1])
	require.InDeltaSlice(t, apart[0], together[0], 1e-6)
}

// hiddenShare of the words is more than models hide: the batches of tests are small.
const hiddenShare = 0.4

func refHides(review int32, position int) (bool, uint64) {
	key := simd.Hash3(simd.Key(seed, "hide"), step, uint64(review), uint64(position))
	share := float32(hiddenShare)
	return float64(key>>40) < float64(share)*(1<<24), key
}

// refGuess spells out the guesses of one row after another.
func refGuess(b *ragged.Batch, q, x, u mat64, o ops.Sampling) []mat64 {
	mean, each, made, hits := newMat64(1, 1), newMat64(b.Len(), 1), newMat64(b.Len(), 1), newMat64(b.Len(), 1)
	dot := func(i, j int) (sum float64) {
		for c := range q.cols {
			v := x.row(j)[c]
			if id := int(b.IDs[j]); id < u.rows {
				v += u.row(id)[c]
			}
			sum += q.row(i)[c] * v
		}
		return sum
	}
	for r, review := range b.Reviews {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			to := map[ops.Target]int{ops.NextWord: i + 1, ops.WordBefore: i - 1, ops.MaskedWord: i}[o.Which]
			if hidden, _ := refHides(review, i-b.Offsets[r]); o.Which == ops.MaskedWord && !hidden {
				continue
			}
			if to < b.Offsets[r] || to >= b.Offsets[r+1] || b.IDs[to] == o.Unknown {
				continue
			}
			right, sum, first := dot(i, to), 1.0, 1.0
			for k := range o.Others {
				other := int(simd.Hash2(simd.Key(seed, "others"), step, uint64(k)) % uint64(len(b.IDs)))
				if b.IDs[other] == b.IDs[to] {
					continue
				}
				if s := dot(i, other); s >= right {
					first = 0
				}
				sum += math.Exp(dot(i, other) - right)
			}
			each.at[r] += math.Log(sum)
			made.at[r]++
			hits.at[r] += first
		}
		mean.at[0] += each.at[r]
	}
	all := 0.0
	for _, n := range made.at {
		all += n
	}
	mean.at[0] /= max(all, 1)
	return []mat64{mean, each, made, hits}
}

func guessCase(name string, o ops.Sampling) opCase {
	return opCase{name, []input{{onWords, 0, 5}, {onWords, 0, 5}, {onWeights, 4, 5}}, 1,
		func(in []*ops.Node) []*ops.Node {
			r := ops.SampledSoftmax(in[0], in[1], in[2], o)
			return []*ops.Node{r.Mean, r.Each, r.Made, r.Hits}
		},
		func(b *ragged.Batch, in []mat64) []mat64 { return refGuess(b, in[0], in[1], in[2], o) }}
}

var guessCases = []opCase{
	guessCase("guess the next word", ops.Sampling{Others: 4, Unknown: -1}),
	guessCase("guess the word before, of those with a vector", ops.Sampling{Which: ops.WordBefore, Others: 3, Unknown: 2}),
	guessCase("guess a hidden word", ops.Sampling{Which: ops.MaskedWord, Others: 150, Unknown: -1, Masked: hiddenShare}),
	one("hide", []input{{onWords, 0, 5}, {onWeights, 1, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mask(in[0], in[1], hiddenShare) },
		func(b *ragged.Batch, in []mat64) mat64 {
			y := newMat64(in[0].rows, 5)
			for r, review := range b.Reviews {
				for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
					from := in[0].row(i)
					hidden, key := refHides(review, i-b.Offsets[r])
					key = simd.Hash1(key, 1)
					if other := key >> 32 % 10; hidden && other == 8 {
						from = in[0].row(int(key % (1 << 32) % uint64(b.Words())))
					} else if hidden && other < 8 {
						from = in[1].row(0)
					}
					copy(y.row(i), from)
				}
			}
			return y
		}),
}
