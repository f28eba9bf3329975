package corpusvec

import (
	"context"
	"math"
)

// dependent is the min share of a column's squared length that lies outside the
// span of the columns before it. A smaller share is a rounding error of float32:
// such a column becomes zero.
const dependent = 1e-12

// orthonormalise makes the columns of q, row-major [n, k], orthonormal by
// Cholesky QR (QᵀQ = RᵀR, Q ← QR⁻¹), which reads q twice where Gram–Schmidt
// reads it k times. Sums are float64, so that the squared condition
// number does not harm the float32 columns.
func orthonormalise(ctx context.Context, q []float32, k, workers int) error {
	g, err := gram(ctx, q, q, k, workers)
	if err != nil {
		return err
	}
	r := cholesky(g, k)
	n := len(q) / k
	return parallel(ctx, blocksOf(n), workers, func() func(int) {
		x := make([]float64, k)
		return func(i int) {
			for row := i * blockRows; row < min((i+1)*blockRows, n); row++ {
				solve(q[row*k:row*k+k], x, r)
			}
		}
	})
}

// solve replaces the row v by v·R⁻¹; x is scratch space.
func solve(v []float32, x, r []float64) {
	k := len(v)
	for j, y := range v {
		x[j] = float64(y)
	}
	for j := range v {
		rj := r[j*k : j*k+k]
		if rj[j] == 0 {
			v[j], x[j] = 0, 0
			continue
		}
		y := x[j] / rj[j]
		v[j] = float32(y)
		rest := x[j+1:]
		for l, a := range rj[j+1:] {
			rest[l] -= float64(y * a)
		}
	}
}

// cholesky returns the upper triangle R [k, k] with RᵀR = g. The row of a column
// that depends on those before it is zero.
func cholesky(g []float64, k int) []float64 {
	r := make([]float64, k*k)
	for i := range k {
		row := r[i*k : i*k+k]
		copy(row[i:], g[i*k+i:i*k+k])
		for l := range i {
			above := r[l*k : l*k+k]
			f := above[i]
			for j := i; j < k; j++ {
				row[j] -= float64(f * above[j])
			}
		}
		if !(row[i] > dependent*g[i*k+i]) {
			clear(row)
			continue
		}
		root := math.Sqrt(row[i])
		for j := i; j < k; j++ {
			row[j] /= root
		}
	}
	return r
}

// gram returns AᵀB [k, k] of two row-major [n, k], each entry one sum in the
// order of the rows.
func gram(ctx context.Context, a, b []float32, k, workers int) ([]float64, error) {
	g := make([]float64, k*k)
	const tile = 8 // columns of a in a task: their sums stay in the cache
	err := parallel(ctx, (k+tile-1)/tile, workers, func() func(int) {
		return func(t int) {
			lo, hi := t*tile, min((t+1)*tile, k)
			for r := 0; r < len(a); r += k {
				y := b[r : r+k]
				for i := lo; i < hi; i++ {
					x := float64(a[r+i])
					sum := g[i*k : i*k+k]
					for j, v := range y {
						sum[j] += float64(x * float64(v))
					}
				}
			}
		}
	})
	return g, err
}
