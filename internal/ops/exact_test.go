package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"
)

// What every op says of itself in exact arithmetic agrees with the formula that its
// tests have, which was written down apart, to the last digits of a float64.
func TestExact(t *testing.T) {
	pool := newPool(t, 1)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := assemble(t, c, pool, all)
			for _, b := range []*ragged.Batch{batch(5, 3, 4, 2, 1), batch(1)} {
				n.run(t, b)
				for r, want := range n.ref(b, n.wideInputs(b)) {
					got, err := ops.NewExact().Value(n.out[r])
					if err != nil {
						require.ErrorContains(t, err, "is only for training")
						return
					}
					require.Len(t, got.Data, len(want.at))
					for i, w := range want.at {
						require.InDelta(t, w, got.Data[i], 1e-11*max(1, math.Abs(w)))
					}
				}
			}
		})
	}
}

// The weights, scores and values that an attention is said to have give its results.
func TestWeighing(t *testing.T) {
	pool := newPool(t, 1)
	seen := 0
	for _, c := range cases {
		n := assemble(t, c, pool, wiring{results: all.results, untrained: true})
		b := batch(5, 3, 4)
		n.run(t, b)
		x := ops.NewExact()
		if _, ok, err := x.Weighing(n.out[0], 0, 0); !ok {
			require.NoError(t, err)
			continue
		}
		seen++
		for review := range b.Len() {
			w, _, err := x.Weighing(n.out[0], review, 0)
			require.NoError(t, err)
			for i := range w.Weights.Rows {
				sum := 0.0
				for j, p := range w.Weights.Row(i) {
					sum += p
					if w.By == ops.Softmax && w.Scores.Cols > 1 && !w.OverQueries && j > 0 && p > 0 && w.Weights.Row(i)[0] > 0 {
						difference := w.Scale * (w.Scores.Row(i)[j] - w.Scores.Row(i)[0])
						require.InDelta(t, difference, math.Log(p/w.Weights.Row(i)[0]), 1e-9, c.name)
					}
				}
				if !w.OverQueries {
					require.InDelta(t, 1, sum, 1e-12, c.name)
				}
			}
		}
	}
	require.GreaterOrEqual(t, seen, 8)
}

// Each gives the same scores and weights as the full matrices and keeps no matrix, except for a
// recurrent decoder, whose states depend on the weights.
func TestEach(t *testing.T) {
	pool := newPool(t, 1)
	kept := 0
	for _, c := range cases {
		n := assemble(t, c, pool, wiring{results: all.results, untrained: true})
		b := batch(5, 3, 4)
		n.run(t, b)
		x := ops.NewExact()
		weigh, ok, err := x.Weigher(n.out[0])
		require.NoError(t, err)
		if !ok {
			continue
		}
		if len(weigh(0, 0).Scores.Data) > 0 {
			kept++
		}
		for review := range b.Len() {
			w := weigh(review, 0)
			whole, _, err := x.Weighing(n.out[0], review, 0)
			require.NoError(t, err)
			i := 0
			for scores, weights := range w.Each() {
				for j := range scores {
					q, k := i, j
					if w.OverQueries {
						q, k = j, i
					}
					require.Equal(t, whole.Scores.Row(q)[k], scores[j], c.name)
					require.Equal(t, whole.Weights.Row(q)[k], weights[j], c.name)
				}
				i++
			}
			softmaxes := whole.Scores.Rows
			if w.OverQueries {
				softmaxes = whole.Scores.Cols
			}
			require.Equal(t, softmaxes, i, c.name)
			for range w.Each() { // may be left at any time
				break
			}
		}
	}
	require.LessOrEqual(t, kept, 1)
}

// A node stands in equations for what was written in its place, and a plan has shapes
// without numbers.
func TestWritten(t *testing.T) {
	pool := newPool(t, 1)
	g := ops.NewGraph(pool, false)
	x := g.Leaf("words", g.Words(), 3, false)
	w, bias := g.Param("W", 3, 2, random("W", 6)), g.Param("b", 1, 2, random("b", 2))
	alone := g.Param("q", 1, 3, random("q", 3))
	a, _ := ops.Attend(alone, x, 1)
	fast := ops.Linear(ops.WeightedSum(a, x), w, bias)
	both := fast.Form(func() *ops.Node { return ops.WeightedSum(a, ops.Linear(x, w, bias)) })
	require.Same(t, fast, both)
	require.Equal(t, "weighted sum", fast.Op())
	require.Equal(t, []*ops.Node{x}, fast.Inputs()[1].Inputs()[:1])
	m := machine(t, g)
	b := batch(4, 2)
	x.Set(ops.Mat{Rows: 6, Cols: 3, Data: random("x", 18)})
	require.NoError(t, m.Run(b, 0))
	got := must.Get(ops.NewExact().Value(fast))(t)
	closeTo(t, got.Data, fast.Mat(), 1e-6)

	plan := ops.NewPlan(true)
	wide := plan.Param("W", 1<<20, 1<<20, nil)
	y := ops.Dropout(ops.Tanh(ops.Linear(plan.Leaf("words", plan.Words(), 1<<20, false), wide, nil)), "d", 0.5)
	require.NoError(t, plan.Err())
	var walked []string
	ops.Walk(func(n *ops.Node) { walked = append(walked, n.Op()) }, y)
	require.Equal(t, []string{"", "", "linear", "tanh", "dropout"}, walked)
	require.True(t, wide.IsWeight())
}

// stepwise is a decoder without its encoder: two recurrent layers and attention of the
// targets to themselves, in a graph that reads them at once or one after the other.
type stepwise struct {
	m                  *ops.Machine
	x                  *ops.Node
	start, end         [3]*ops.Node // what a recurrence starts from and ends with: h and c of the LSTM, h of the GRU
	past, kept         [2]*ops.Node // keys and values; past is nil in the first step
	lstm, gru, attends *ops.Node
}

const stepIn, stepState = 3, 4

// newStepwise builds the graph of all rows at once (causal), of the first step, or of
// a later one (cached).
func newStepwise(t *testing.T, pool *ops.Pool, causal, cached bool) *stepwise {
	const d, h = stepIn, stepState
	g := ops.NewGraph(pool, false)
	s := &stepwise{x: g.Leaf("x", g.Targets(), d, false)}
	for i := range s.start {
		s.start[i] = g.Leaf("start", g.Words().Reviews(), h, false)
	}
	w := func(name string, rows, cols int) *ops.Node {
		return g.Param(name, rows, cols, random(name, rows*cols))
	}
	s.lstm, s.end[0], s.end[1] = ops.LSTMFrom(s.x, w("Wx", d, 4*h), w("Wh", h, 4*h), w("b", 1, 4*h), s.start[0], s.start[1])
	s.gru, s.end[2] = ops.GRUFrom(s.x, w("Ux", d, 3*h), w("Uh", h, 3*h), w("bx", 1, 3*h), w("bh", 1, 3*h), s.start[2])
	for i := range s.kept {
		s.kept[i] = ops.Scale(s.x, float32(2+i))
		if cached {
			s.past[i] = g.Leaf("past", g.Past(), d, false)
			s.kept[i] = ops.Append(s.past[i], s.kept[i])
		}
	}
	s.attends, _ = ops.Attention(s.x, s.kept[0], s.kept[1], ops.SelfAttention{Heads: 1, Scale: 0.7, Causal: causal})
	s.m = machine(t, g)
	return s
}

// run reads a batch's rows.
func (s *stepwise) run(t *testing.T, b *ragged.Batch, rows []float32, start [3][]float32, past [2][]float32) {
	s.x.Set(ops.Mat{Rows: b.Targets(), Cols: stepIn, Data: rows})
	for i, n := range s.start {
		n.Set(ops.Mat{Rows: b.Len(), Cols: stepState, Data: start[i]})
	}
	for i, n := range s.past {
		if n != nil {
			n.Set(ops.Mat{Rows: len(past[i]) / stepIn, Cols: stepIn, Data: past[i]})
		}
	}
	require.NoError(t, s.m.Run(b, 0))
}

// Decoding step by step, from the states and the keys and values that were kept, gives
// what one pass over the targets gives: the recurrent layers to the bit.
func TestStepsAreOnePass(t *testing.T) {
	const pairs, steps = 3, 5
	pool := newPool(t, 1)
	even := func(rows int) (offsets []int) {
		for r := range pairs + 1 {
			offsets = append(offsets, r*rows)
		}
		return offsets
	}
	b := batch(1, 1, 1)
	b.TargetIn, b.TargetOut, b.TargetOffsets = make([]int32, pairs*steps), nil, even(steps)
	rows := random("x", pairs*steps*stepIn)
	var start [3][]float32
	for i, name := range []string{"h", "c", "g"} {
		start[i] = random(name, pairs*stepState)
	}
	all := newStepwise(t, pool, true, false)
	all.run(t, b, rows, start, [2][]float32{})

	now, past := newStepwise(t, pool, false, false), [2][]float32{}
	for step := range steps {
		b.TargetIn, b.TargetOffsets, b.TargetStart, b.PastOffsets = make([]int32, pairs), even(1), step, even(step)
		var input []float32
		for r := range pairs {
			input = append(input, rows[(r*steps+step)*stepIn:][:stepIn]...)
		}
		now.run(t, b, input, start, past)
		for r := range pairs {
			at := r*steps + step
			require.Equal(t, all.lstm.Mat().Row(at), now.lstm.Mat().Row(r), "step %d", step)
			require.Equal(t, all.gru.Mat().Row(at), now.gru.Mat().Row(r), "step %d", step)
			require.InDeltaSlice(t, all.attends.Mat().Row(at), now.attends.Mat().Row(r), 1e-6, "step %d", step)
		}
		for i, n := range now.end {
			start[i] = slices.Clone(n.Mat().Data)
		}
		for i, n := range now.kept {
			past[i] = slices.Clone(n.Mat().Data)
		}
		if step == 0 {
			now = newStepwise(t, pool, false, true)
		}
	}
	for i, n := range all.end {
		require.Equal(t, n.Mat().Data, start[i])
	}
}

// What depends on the attention is computed again from weights that were put there by
// hand, and nothing else is; the next run forgets them.
func TestTail(t *testing.T) {
	for _, workers := range []int{1, 3} {
		pool := newPool(t, workers)
		g := ops.NewGraph(pool, false)
		b := batch(9, 6, 1)
		x := g.Leaf("x", g.Words(), 5, false)
		h := ops.Tanh(x)
		a, entropy := ops.Attend(g.Param("q", 1, 5, random("q", 5)), h, 1)
		sum := ops.WeightedSum(a, h)
		y := ops.Linear(sum, g.Param("W", 5, 3, random("W", 15)), nil)
		loss := ops.CrossEntropy(y, 0, nil)
		tail := must.Get(a.Tail(loss.Probs))(t)
		require.Error(t, tail.Run(), "before the first run")
		m := machine(t, g)
		x.Set(ops.Mat{Rows: b.Words(), Cols: 5, Data: random("x", 5*b.Words())})
		require.NoError(t, m.Run(b, 1))
		whole := slices.Clone(loss.Probs.Mat().Data)
		require.NoError(t, tail.Run())
		require.Equal(t, whole, loss.Probs.Mat().Data, "the same weights, the same bits")

		before := slices.Clone(entropy.Mat().Data)
		weights := a.Mat().Data
		clear(weights)
		weights[2], weights[9], weights[15] = 1, 1, 1 // one word of each review
		require.NoError(t, tail.Run())
		for r, word := range []int{2, 9, 15} {
			require.Equal(t, h.Mat().Row(word), sum.Mat().Row(r))
		}
		require.NotEqual(t, whole, loss.Probs.Mat().Data)
		require.Equal(t, before, entropy.Mat().Data)
		require.NoError(t, m.Run(b, 1))
		require.Equal(t, whole, loss.Probs.Mat().Data)

		above := must.Get(h.Tail(entropy))(t) // weights that are made again beside their sums, which are not
		require.NoError(t, above.Run())
		clear(weights)
		weights[2], weights[9], weights[15] = 1, 1, 1
		require.NoError(t, tail.Run())
		require.Equal(t, h.Mat().Row(9), sum.Mat().Row(1), "by the weights that were put there since")

		require.ErrorContains(t, must.Fail(a.Tail(h)), "does not depend on the result of attend")
	}
}
