package convex

import "imdbexp/internal/simd"

// The loss of a row, its gradient by the scores z (in dz), and its curvature (in curve):
// the diagonal of the Hessian by z where it is diagonal, and for softmax the probabilities p,
// whose Hessian is diag(p) − p·pᵀ. All have length K.
func (p *Problem) loss(y int32, z, dz, curve []float64) float64 {
	switch {
	case p.Loss == SquaredHinge:
		return squaredHinge(y, z, dz, curve)
	case len(z) == 1:
		return logistic(y, z, dz, curve)
	default:
		return softmax(y, z, dz, curve)
	}
}

// bend multiplies q, the change of a row's scores, by the Hessian.
func (p *Problem) bend(q, curve []float64) {
	var mean float64
	if p.Loss == Logistic && len(q) > 1 {
		for k, x := range q {
			mean += float64(curve[k] * x)
		}
	}
	for k, x := range q {
		q[k] = float64(curve[k] * (x - mean))
	}
}

func squaredHinge(y int32, z, dz, curve []float64) (loss float64) {
	for k, x := range z {
		sign := -1.0
		if int(y) == k || len(z) == 1 && y == 1 {
			sign = 1
		}
		if len(z) == 1 && y == 0 {
			sign = -1
		}
		dz[k], curve[k] = 0, 0
		if short := 1 - float64(sign*x); short > 0 {
			loss += float64(short * short)
			dz[k], curve[k] = -2*sign*short, 2
		}
	}
	return loss
}

func logistic(y int32, z, dz, curve []float64) float64 {
	sign := float64(2*y - 1)
	m := sign * z[0]
	e := simd.Exp64(-max(m, -m))
	wrong := e / (1 + e) // probability of the other class
	if m < 0 {
		wrong = 1 / (1 + e)
	}
	dz[0] = -sign * wrong
	curve[0] = e / float64((1+e)*(1+e)) // wrong·(1 − wrong) without its rounding
	return max(-m, 0) + simd.Log64(1+e)
}

func softmax(y int32, z, dz, curve []float64) float64 {
	most := z[0]
	for _, x := range z {
		most = max(most, x)
	}
	var sum float64
	for k, x := range z {
		curve[k] = simd.Exp64(x - most)
		sum += curve[k]
	}
	for k := range curve {
		curve[k] /= sum
		dz[k] = curve[k]
	}
	dz[y]--
	return most + simd.Log64(sum) - z[y]
}
