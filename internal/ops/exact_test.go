package ops_test

import (
	"math"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
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
						apart := w.Scale * (w.Scores.Row(i)[j] - w.Scores.Row(i)[0])
						require.InDelta(t, apart, math.Log(p/w.Weights.Row(i)[0]), 1e-9, c.name)
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
	both := fast.Written(func() *ops.Node { return ops.WeightedSum(a, ops.Linear(x, w, bias)) })
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
