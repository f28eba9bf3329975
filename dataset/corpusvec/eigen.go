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

// jacobi returns the eigenvalues [k] and, in columns, the eigenvectors [k, k] of
// the symmetric matrix a [k, k], which it destroys: cyclic Jacobi rotations as
// in Golub and Van Loan, Matrix Computations, §8.5.
func jacobi(a []float64, k int) (values, vectors []float64) {
	for i := range k { // rounding left a almost symmetric
		for j := range i {
			v := (a[i*k+j] + a[j*k+i]) / 2
			a[i*k+j], a[j*k+i] = v, v
		}
	}
	// Rows of v are the eigenvectors until the end: rows are contiguous.
	v := make([]float64, k*k)
	var norm float64
	for i := range k {
		v[i*k+i] = 1
		norm += squares(a[i*k : (i+1)*k])
	}
	const maxSweeps = 60 // ten or so suffice
	for range maxSweeps {
		var off float64
		for i := range k {
			off += squares(a[i*k : i*k+i])
		}
		if off <= 1e-26*norm {
			break
		}
		for p := range k {
			for q := p + 1; q < k; q++ {
				rotate(a, v, k, p, q)
			}
		}
	}
	values, vectors = make([]float64, k), make([]float64, k*k)
	for i := range k {
		values[i] = a[i*k+i]
		for j := range k {
			vectors[j*k+i] = v[i*k+j]
		}
	}
	return values, vectors
}

// rotate makes a[p,q] zero by rotating rows and columns p and q.
func rotate(a, v []float64, k, p, q int) {
	apq := a[p*k+q]
	if apq == 0 {
		return
	}
	theta := (a[q*k+q] - a[p*k+p]) / (2 * apq)
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := float64(t * c)
	turn(a[p*k:(p+1)*k], a[q*k:(q+1)*k], c, s)
	for i := range k {
		x, y := a[i*k+p], a[i*k+q]
		a[i*k+p], a[i*k+q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	a[p*k+q], a[q*k+p] = 0, 0
	turn(v[p*k:(p+1)*k], v[q*k:(q+1)*k], c, s)
}

func turn(p, q []float64, c, s float64) {
	for i, x := range p {
		y := q[i]
		p[i], q[i] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}

func squares(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}
