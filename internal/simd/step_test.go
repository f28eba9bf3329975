package simd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// Ten steps against torch.optim's formulas in float64.
func TestSGDAgainstFloat64(t *testing.T) {
	for _, momentum := range []float64{0, 0.9} {
		w := normals(37, 1)
		ref := make([]float64, len(w))
		buf := make([]float64, len(w))
		for i, x := range w {
			ref[i] = float64(x)
		}
		var v []float32
		if momentum != 0 {
			v = make([]float32, len(w))
		}
		for step := range 10 {
			g := normals(len(w), uint64(10+step))
			simd.SGDStep(w, g, v, 0.05, float32(momentum), 0.01)
			for i := range ref {
				d := float64(g[i]) + 0.01*ref[i]
				if step == 0 {
					buf[i] = d
				} else {
					buf[i] = momentum*buf[i] + d
				}
				ref[i] -= 0.05 * buf[i]
			}
		}
		for i := range ref {
			require.InDelta(t, ref[i], w[i], 2e-6)
		}
	}
}

func TestAdamAgainstFloat64(t *testing.T) {
	const lr, b1, b2, eps, decay = 0.01, 0.9, 0.999, 1e-8, 0.1
	for _, decoupled := range []bool{false, true} {
		w := normals(37, 2)
		m, v := make([]float32, len(w)), make([]float32, len(w))
		ref, rm, rv := make([]float64, len(w)), make([]float64, len(w)), make([]float64, len(w))
		for i, x := range w {
			ref[i] = float64(x)
		}
		for step := 1; step <= 10; step++ {
			g := normals(len(w), uint64(100+step))
			bias1, bias2 := 1-math.Pow(b1, float64(step)), 1-math.Pow(b2, float64(step))
			p := simd.AdamParams{Beta1: b1, Beta2: b2, Eps: eps, StepSize: lr / bias1, SqrtBias2: math.Sqrt(bias2)}
			if decoupled {
				p.Decoupled = lr * decay
			} else {
				p.WeightDecay = decay
			}
			simd.AdamStep(w, g, m, v, p)
			for i := range ref {
				d := float64(g[i])
				if decoupled {
					ref[i] -= lr * decay * ref[i]
				} else {
					d += decay * ref[i]
				}
				rm[i] = b1*rm[i] + (1-b1)*d
				rv[i] = b2*rv[i] + (1-b2)*d*d
				ref[i] -= lr / bias1 * rm[i] / (math.Sqrt(rv[i])/math.Sqrt(bias2) + eps)
			}
		}
		for i := range ref {
			require.InDelta(t, ref[i], w[i], 2e-6)
			require.InDelta(t, rv[i], v[i], 1e-6)
		}
	}
}
