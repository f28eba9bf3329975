package ops_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

// Every result of every op against its formula in float64.
func TestValues(t *testing.T) {
	pool := newPool(t, 1)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := assemble(t, c, pool, all)
			batches := []*ragged.Batch{
				batch(9, 6, 4, 2, 1),
				batch(1),
				batch(1, 1, 1),
				batch(2, 17, 1, 5, 33),              // in no order
				c.longTail(sizes(9000, 2500, 2500)), // several shards
			}
			if !c.quadratic() {
				batches = append(batches, batch(700, 300, 4, 1)) // several chunks of steps in the LSTM
			}
			for _, b := range batches {
				n.run(t, b)
				wanted := n.ref(b, n.wideInputs(b))
				for r, want := range wanted {
					closeTo(t, want.at, n.out[r].Mat(), 1e-5)
				}
				require.InEpsilon(t, sum(n.terms(wanted)), n.cost.Mat().Data[0], 1e-4, "the cost")
			}
		})
	}
}

// closeTo compares by the largest element: no more is promised of a sum.
func closeTo(t testing.TB, want []float64, got ops.Mat, tolerance float64) {
	t.Helper()
	require.Len(t, got.Data, len(want))
	require.Equal(t, len(want), got.Rows*got.Cols)
	var worst, size float64
	for i, w := range want {
		d := math.Abs(w - float64(got.Data[i]))
		if math.IsNaN(d) { // require is slow for each element
			require.Failf(t, "not a number", "element %d is %v, not %v", i, got.Data[i], w)
		}
		worst, size = max(worst, d), max(size, math.Abs(w))
	}
	require.LessOrEqual(t, worst, tolerance*(size+1e-3))
}

// Attention over scores so large that only their differences can be computed.
func TestAttendExtremes(t *testing.T) {
	for _, c := range []struct {
		name   string
		scores []float32
		want   []float64
		h      float64
	}{
		{"one word", []float32{123}, []float64{1}, 0},
		{"uniform", []float32{5, 5, 5, 5}, []float64{0.25, 0.25, 0.25, 0.25}, math.Log(4)},
		{"large", []float32{1e30, 1e30}, []float64{0.5, 0.5}, math.Log(2)},
		{"sharp", []float32{0, 200, 0}, []float64{0, 1, 0}, 0},
		{"very negative", []float32{-1e38, -1e38, 1e38}, []float64{0, 0, 1}, 0},
		{"nearly sharp", []float32{10, 0}, []float64{1 / (1 + math.Exp(-10)), 1 / (1 + math.Exp(10))}, 0.0004993969},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			keys := g.Leaf("keys", g.Words(), 1, true)
			q := g.Param("q", 1, 1, []float32{1})
			a, h := ops.Attend(q, keys, 1)
			grads := must.Get(g.Grad(ops.Total(ops.Term{Node: h, Weight: 1}), q, keys))(t)
			m := machine(t, g)
			keys.Set(ops.Mat{Rows: len(c.scores), Cols: 1, Data: c.scores})
			require.NoError(t, m.Run(batch(len(c.scores)), 0))
			closeTo(t, c.want, a.Mat(), 1e-6)
			require.InDelta(t, c.h, h.Mat().Data[0], 1e-6)
			for _, v := range grads[1]().Data {
				require.False(t, math.IsNaN(float64(v)))
			}
		})
	}
}

// Weights of sparse attention computed by hand. Scores {1.5, 1, 0.1}: sparsemax has τ = 0.75 with
// two words inside, 1.5-entmax (0.75 − τ)² + (0.5 − τ)² = 1 with two words inside. The gradient
// of Σ cᵢ αᵢ is u(c − Σuc/Σu), with u = 1 for sparsemax and √α for 1.5-entmax.
func TestSparseAttention(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.NaN()
	tau := (1.25 - math.Sqrt(2-0.0625)) / 2
	x, y := 0.75-tau, 0.5-tau
	for _, c := range []struct {
		by     ops.Normaliser
		scores []float32
		want   []float64
		grad   []float64 // of Σ i·αᵢ, i from 0
	}{
		{ops.Sparsemax, []float32{7}, []float64{1}, []float64{0}},
		{ops.Sparsemax, []float32{1.5, 1, 0.1}, []float64{0.75, 0.25, 0}, []float64{-0.5, 0.5, 0}},
		{ops.Sparsemax, []float32{0.1, -0.4, 0.3, 0.3}, []float64{0.2, 0, 0.4, 0.4}, []float64{-5. / 3, 0, 1. / 3, 4. / 3}},
		{ops.Sparsemax, []float32{3, 1, 2}, []float64{1, 0, 0}, []float64{0, 0, 0}},
		{ops.Sparsemax, []float32{1e30, 1e30, -1e38}, []float64{0.5, 0.5, 0}, []float64{-0.5, 0.5, 0}},
		{ops.Entmax15, []float32{-3}, []float64{1}, []float64{0}},
		{ops.Entmax15, []float32{5, 5, 5, 5}, []float64{0.25, 0.25, 0.25, 0.25}, []float64{-0.75, -0.25, 0.25, 0.75}},
		{ops.Entmax15, []float32{1.5, 1, -1}, []float64{x * x, y * y, 0}, []float64{-x * y / (x + y), x * y / (x + y), 0}},
		{ops.Entmax15, []float32{0, 2, 0}, []float64{0, 1, 0}, []float64{0, 0, 0}},
		{ops.Sparsemax, []float32{1, float32(nan)}, []float64{nan, nan}, []float64{nan, nan}},
		{ops.Entmax15, []float32{1, inf}, []float64{nan, nan}, []float64{nan, nan}},
	} {
		t.Run(fmt.Sprint(c.by, c.scores), func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			keys, place := g.Leaf("keys", g.Words(), 1, true), g.Leaf("place", g.Words(), 1, false)
			a, h := ops.Attend(g.Param("q", 1, 1, []float32{1}), keys, 1)
			a.Normalise(c.by)
			grads := must.Get(g.Grad(ops.Total(ops.Term{Node: ops.WeightedSum(a, place), Weight: 1}), keys))(t)
			m := machine(t, g)
			keys.Set(ops.Mat{Rows: len(c.scores), Cols: 1, Data: c.scores})
			place.Set(ops.Mat{Rows: len(c.scores), Cols: 1, Data: []float32{0, 1, 2, 3}[:len(c.scores)]})
			require.NoError(t, m.Run(batch(len(c.scores)), 0))
			entropy := 0.0
			for i, w := range c.want {
				require.InDelta(t, w, a.Mat().Data[i], 1e-7)
				require.InDelta(t, c.grad[i], grads[0]().Data[i], 1e-6)
				if w != 0 {
					entropy -= w * math.Log(w)
				}
			}
			require.InDelta(t, entropy, h.Mat().Data[0], 1e-6, "0·log 0 is 0")
		})
	}
}

func TestTotal(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	x, y := g.Param("x", 3, 1, []float32{1, 2, 6}), g.Param("y", 2, 1, []float32{-4, 8})
	cost := ops.Total(ops.Term{Node: x, Weight: 2}, ops.Term{Node: y, Weight: 0.5, Sum: true})
	grads := must.Get(g.Grad(cost, x, y))(t)
	m := machine(t, g)
	require.NoError(t, m.Run(batch(1), 0))
	require.Equal(t, float32(2*3+0.5*4), cost.Mat().Data[0])
	require.Equal(t, []float32{2. / 3, 2. / 3, 2. / 3}, grads[0]().Data)
	require.Equal(t, []float32{0.5, 0.5}, grads[1]().Data)
}

// A review without a label has no loss, but counts in the mean.
func TestCrossEntropyWithoutLabels(t *testing.T) {
	c := cases[slices.IndexFunc(cases, func(c opCase) bool { return c.name == "cross-entropy" })]
	n := assemble(t, c, newPool(t, 1), all)
	b := batch(3, 2, 1)
	b.Labels[1] = -1
	n.run(t, b)
	for r, want := range n.ref(b, n.wideInputs(b)) {
		closeTo(t, want.at, n.out[r].Mat(), 1e-6)
	}
	require.Zero(t, n.out[1].Mat().Data[1])
	require.Equal(t, []float32{0, 0, 0}, n.grads[0]().Row(1))
	require.NotZero(t, n.grads[0]().Row(0)[0])
}

func TestGather(t *testing.T) {
	table := random("table", 50*3)
	ids := make([]int32, 2500) // more than two blocks
	for i := range ids {
		ids[i] = int32(simd.Hash1(1, uint64(i)) % 50)
	}
	g := ops.NewGraph(newPool(t, 3), false)
	x := g.Leaf("x", g.Words(), 3, false)
	require.NoError(t, x.Gather(table, ids))
	for i, id := range ids {
		require.Equal(t, table[id*3:][:3], x.Mat().Row(i))
	}
	require.ErrorContains(t, x.Gather(table, []int32{1, 50}), "row 50 of 50")
	require.ErrorContains(t, x.Gather(table, []int32{-1}), "row -1 of 50")
}
