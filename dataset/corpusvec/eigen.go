package corpusvec

import (
	"cmp"
	"context"
	"math"
	"slices"

	"imdbexp/internal/simd"
)

const (
	powerIterations = 6  // of the subspace; each multiplies M once
	oversampling    = 10 // more columns than dim, which speeds convergence
)

// eigen returns the dim eigenpairs of the symmetric m with the largest |λ|, in
// falling order: u row-major [n, dim] and λ [dim], zero beyond the rank. It is
// the randomised subspace iteration of Halko, Martinsson and Tropp 2011, Finding
// Structure with Randomness, algorithm 4.4, followed by Rayleigh–Ritz.
func eigen(ctx context.Context, m *matrix, o Options) (u []float32, lambda []float64, err error) {
	k := min(o.Dim+oversampling, m.n)
	q, y := make([]float32, m.n*k), make([]float32, m.n*k) // [n, k]
	simd.Uniform(q, simd.Key(o.Seed, "corpusvec start"), -1, 1)
	for i := range powerIterations {
		o.report("factorising", shareOfPairs+(1-shareOfPairs)*float64(i)/(powerIterations+1))
		if err = m.multiply(ctx, y, q, k, o.Workers); err != nil {
			return nil, nil, err
		}
		q, y = y, q
		if err = orthonormalise(ctx, q, k, o.Workers); err != nil {
			return nil, nil, err
		}
	}
	// Columns that were nearly parallel are orthogonal only after a second time
	// ("twice is enough", Giraud et al. 2005).
	if err = orthonormalise(ctx, q, k, o.Workers); err != nil {
		return nil, nil, err
	}
	o.report("factorising", shareOfPairs+(1-shareOfPairs)*powerIterations/(powerIterations+1))
	if err = m.multiply(ctx, y, q, k, o.Workers); err != nil {
		return nil, nil, err
	}
	b, err := gram(ctx, q, y, k, o.Workers) // QᵀMQ
	if err != nil {
		return nil, nil, err
	}
	values, vectors := jacobi(b, k)
	order := make([]int, k)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(values[b]), math.Abs(values[a])) })

	u, lambda = make([]float32, m.n*o.Dim), make([]float64, o.Dim)
	for j := range min(o.Dim, k) {
		lambda[j] = values[order[j]]
	}
	err = parallel(ctx, blocksOf(m.n), o.Workers, func() func(int) {
		return func(i int) {
			for r := i * blockRows; r < min((i+1)*blockRows, m.n); r++ {
				for j := range min(o.Dim, k) {
					sum := 0.0
					for l, x := range q[r*k : r*k+k] {
						sum += float64(float64(x) * vectors[l*k+order[j]])
					}
					u[r*o.Dim+j] = float32(sum)
				}
			}
		}
	})
	return u, lambda, err
}
