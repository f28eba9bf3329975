package corpusvec

import (
	"context"
	"math"
)

// weigh turns counts into positive pointwise mutual information, in place. With
// the smoothed p̂(c) ∝ n(c)^¾ the matrix loses its symmetry; the mean of both
// directions restores it, so that eigenvectors do for singular vectors:
//
//	M[w,c] = max(0, ln C[w,c] − ½(a[w] + b[c] + a[c] + b[w]))
//	a[w] = ln n(w),  b[c] = ln(n(c)^¾ / Σ n^¾)
func weigh(ctx context.Context, m *matrix, workers int) error {
	half := make([]float64, m.n) // ½(a + b)
	total := 0.0
	sums := make([]float64, m.n)
	for w := range m.n {
		for _, v := range m.vals[m.start[w]:m.start[w+1]] {
			sums[w] += v // whole numbers: exact in any order
		}
		// x^¾ = √x·√√x, since square roots are exactly rounded everywhere.
		root := math.Sqrt(sums[w])
		total += float64(root * math.Sqrt(root))
	}
	for w, s := range sums {
		if s > 0 {
			half[w] = float64(0.875*log(s)) - float64(0.5*log(total))
		}
	}
	return parallel(ctx, m.n, workers, func() func(lo, hi int) {
		return func(lo, hi int) {
			for w := lo; w < hi; w++ {
				for i := m.start[w]; i < m.start[w+1]; i++ {
					m.vals[i] = max(0, log(m.vals[i])-(half[w]+half[m.cols[i]]))
				}
			}
		}
	})
}

// log is the natural logarithm of a positive finite x to within a few units in
// the last place, from exactly rounded operations alone: math.Log has assembly
// on some platforms, whose bits differ.
func log(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	// ln f = 2·artanh(s) = 2s·(1 + s²/3 + s⁴/5 + …), |s| ≤ 0.172
	s := (f - 1) / (f + 1)
	z := float64(s * s)
	sum := 0.0
	for k := 25; k >= 1; k -= 2 {
		sum = float64(sum*z) + 1/float64(k)
	}
	return float64(float64(e)*math.Ln2) + float64(float64(2*s)*sum)
}
