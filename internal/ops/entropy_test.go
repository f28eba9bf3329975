package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
)

// The gradient of the penalty λ·H reaches the query and the keys through the attention, in
// addition to the gradient of the classifier's loss. The formula for one query q,
// scores sᵢ = q·kᵢ and a loss Σ_b u·t̂_b of the attended sum t̂ = Σ αᵢ kᵢ:
//
//	∂sᵢ = αᵢ u·(kᵢ − t̂) − λ αᵢ (log αᵢ + H)
//	∂q = Σᵢ ∂sᵢ kᵢ        ∂kᵢ = ∂sᵢ q + αᵢ u
func TestEntropyPenalty(t *testing.T) {
	const d = 4
	b := batch(40, 7, 2, 1)
	for _, c := range []struct {
		lambda float32
		sum    bool
	}{{0.001, true}, {0.064, false}, {3, false}} {
		t.Run(fmt.Sprintf("λ %v, sum %v", c.lambda, c.sum), func(t *testing.T) {
			k, q, u := random("k", b.Words()*d), random("q", d), random("u", d)
			g := ops.NewGraph(newPool(t, 1), true)
			keys, query := g.Leaf("k", g.Words(), d, true), g.Param("q", 1, d, q)
			alpha, entropy := ops.Attend(query, keys, 1)
			loss := ops.Linear(ops.WeightedSum(alpha, keys), g.Param("u", d, 1, u), nil)
			cost := ops.Total(ops.Term{Node: loss, Weight: 1, Sum: true}, ops.Term{Node: entropy, Weight: c.lambda, Sum: c.sum})
			grads := must.Get(g.Grad(cost, query, keys))(t)
			m := machine(t, g)
			keys.Set(ops.Mat{Rows: b.Words(), Cols: d, Data: k})
			require.NoError(t, m.Run(b, 0))

			lambda := float64(c.lambda)
			if !c.sum {
				lambda /= float64(b.Len())
			}
			K, Q, U := wide(b.Words(), d, k), wide(1, d, q), wide(1, d, u)
			a, h := refAttend(b, Q, K, 1, ops.Softmax)
			that := refWeightedSum(b, a, K)
			dq, dk := newMat64(1, d), newMat64(b.Words(), d)
			var penalty float64
			for r := range b.Len() {
				penalty += lambda * h.at[r]
				for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
					ds := -lambda * (math.Log(a.at[i]) + h.at[r])
					for j := range d {
						ds += U.at[j] * (K.row(i)[j] - that.row(r)[j])
					}
					ds *= a.at[i]
					for j := range d {
						dq.at[j] += ds * K.row(i)[j]
						dk.row(i)[j] = ds*Q.at[j] + a.at[i]*U.at[j]
					}
				}
			}
			closeTo(t, dq.at, grads[0](), 2e-6)
			closeTo(t, dk.at, grads[1](), 2e-6)
			require.InDelta(t, penalty+sum64(refLinear(that, mat64{d, 1, U.at}, nil)), cost.Mat().Data[0], 2e-6*(1+penalty))
		})
	}
}

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

// As a term of the cost, on weights that have another reader.
func TestHeadSimilarity(t *testing.T) {
	s := float32(math.Sqrt2 / 2)
	for _, c := range []struct {
		name  string
		heads int
		w     []float32 // [2, 4]
		want  float64
	}{
		{"one head", 1, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 0},
		{"orthogonal", 2, []float32{1, 0, 0, 1, 0, 0, 0, 0}, 0},
		{"parallel", 2, []float32{1, 2, 2, 4, 3, 4, 6, 8}, 2},
		{"opposite", 2, []float32{1, 2, -1, -2, 3, 4, -3, -4}, 2},
		{"at 45 degrees", 2, []float32{1, 0, s, s, 0, 0, 0, 0}, 1},
		{"four heads, all parallel", 4, []float32{1, 2, 3, 4, 1, 2, 3, 4}, 12},
		{"a head of zeros", 2, []float32{0, 0, 1, 1, 0, 0, 1, 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			x := g.Leaf("x", g.Words(), 2, false)
			w := g.Param("w", 2, 4, c.w)
			loss := ops.CrossEntropy(ops.Mean(ops.Linear(x, w, nil)), 0, nil)
			likeness := ops.HeadSimilarity(w, c.heads)
			cost := ops.Total(ops.Term{Node: loss.Mean, Weight: 1}, ops.Term{Node: likeness, Weight: 0.5})
			grads := must.Get(g.Grad(cost, w))(t)
			m := machine(t, g)
			x.Set(ops.Mat{Rows: 3, Cols: 2, Data: []float32{1, 2, 3, 4, 5, 6}})
			require.NoError(t, m.Run(batch(2, 1), 0))
			require.InDelta(t, c.want, likeness.Mat().Data[0], 1e-6)
			require.InDelta(t, float64(loss.Mean.Mat().Data[0])+c.want/2, cost.Mat().Data[0], 1e-6)
			for _, v := range grads[0]().Data {
				require.False(t, math.IsNaN(float64(v)))
			}
		})
	}
}
