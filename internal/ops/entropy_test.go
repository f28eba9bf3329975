package ops_test

import (
	"fmt"
	"math"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
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
