package ops_test

import (
	"math"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

// Every word has the weight 1/n, on every level and for any number of workers. The weights
// have no gradient; only the values have one.
func TestUniform(t *testing.T) {
	old := simd.Current()
	defer func() { require.NoError(t, simd.Use(old)) }()
	b := batch(9, 1, 700, 4)
	for _, l := range simd.Levels() {
		require.NoError(t, simd.Use(l))
		for _, workers := range []int{1, 3} {
			g := ops.NewGraph(newPool(t, workers), true)
			x := g.Leaf("x", g.Words(), 2, true)
			a, h := ops.Uniform(x)
			sum := ops.WeightedSum(a, x)
			cost := ops.Total(ops.Term{Node: ops.Linear(sum, g.Param("u", 2, 1, []float32{1, -2}), nil), Weight: 1, Sum: true})
			grads := must.Get(g.Grad(cost, x))(t)
			m := machine(t, g)
			x.Set(ops.Mat{Rows: b.Words(), Cols: 2, Data: random("x", 2*b.Words())})
			require.NoError(t, m.Run(b, 0))
			exact := ops.NewExact()
			wide := must.Get(exact.Value(a))(t)
			logs := must.Get(exact.Value(h))(t)
			for r := range b.Len() {
				n := b.Offsets[r+1] - b.Offsets[r]
				require.InDelta(t, math.Log(float64(n)), h.Mat().Data[r], 1e-6)
				require.InDelta(t, math.Log(float64(n)), logs.Data[r], 1e-12)
				for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
					require.Equal(t, 1/float32(n), a.Mat().Data[i])
					require.InDelta(t, 1/float64(n), wide.Data[i], 1e-15)
					require.Equal(t, []float32{1 / float32(n), -2 / float32(n)}, grads[0]().Row(i))
				}
			}
		}
	}
}

// Weights of attention that are as good as 0 cost nothing and have gradients.
func TestDivergenceOfZeros(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	p, q := g.Leaf("p", g.Words(), 1, true), g.Leaf("q", g.Words(), 1, true)
	d := ops.Divergence(p, q)
	_, h := ops.Imposed(p)
	grads := must.Get(g.Grad(ops.Total(ops.Term{Node: d, Weight: 1}, ops.Term{Node: h, Weight: 1}), p, q))(t)
	m := machine(t, g)
	p.Set(ops.Mat{Rows: 4, Cols: 1, Data: []float32{1, 0, 0, 0}})
	q.Set(ops.Mat{Rows: 4, Cols: 1, Data: []float32{0, 0, 0.5, 0.5}})
	require.NoError(t, m.Run(batch(4), 0))
	require.InDelta(t, -math.Log(1e-30), d.Mat().Data[0], 1e-4)
	require.Zero(t, h.Mat().Data[0])
	for _, g := range grads {
		for _, v := range g().Data {
			require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
		}
	}
}
