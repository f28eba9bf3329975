package ops_test

import (
	"math"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
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
