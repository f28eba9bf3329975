package corpusvec

import (
	"context"
	"math"
	"slices"
)

// eigen returns the dim eigenpairs of the symmetric m with the largest |λ|, in
// falling order: u row-major [n, dim] and λ [dim]. It is the randomised subspace
// iteration of Halko, Martinsson and Tropp 2011, Finding Structure with
// Randomness, algorithm 4.4, followed by Rayleigh–Ritz.
func eigen(ctx context.Context, m *matrix, o Options, done func()) (u, lambda []float64, err error) {
	k := min(o.Dim+oversampling, m.n)
	q := newPanel(m.n, k)
	for i := range q.data {
		q.data[i] = noise(o.Seed, uint64(i))
	}
	y := newPanel(m.n, k)
	for range powerIterations {
		if err = orthonormalise(ctx, q, o.Workers); err != nil {
			return nil, nil, err
		}
		if err = multiply(ctx, y, m, q, o.Workers); err != nil {
			return nil, nil, err
		}
		q, y = y, q
		done()
	}
	if err = orthonormalise(ctx, q, o.Workers); err != nil {
		return nil, nil, err
	}
	if err = multiply(ctx, y, m, q, o.Workers); err != nil {
		return nil, nil, err
	}
	b := make([]float64, k*k) // QᵀMQ
	err = parallel(ctx, k, o.Workers, func() func(lo, hi int) {
		return func(lo, hi int) {
			for i := lo; i < hi; i++ {
				for j := range k {
					b[i*k+j] = dot(q.column(i), y.column(j))
				}
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	done()
	values, vectors := jacobi(b, k)

	order := make([]int, k)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch va, vb := math.Abs(values[a]), math.Abs(values[b]); {
		case va > vb:
			return -1
		case va < vb:
			return 1
		}
		return 0
	})
	u, lambda = make([]float64, m.n*o.Dim), make([]float64, o.Dim)
	for j := range min(o.Dim, k) {
		lambda[j] = values[order[j]]
	}
	err = parallel(ctx, m.n, o.Workers, func() func(lo, hi int) {
		return func(lo, hi int) {
			for r := lo; r < hi; r++ {
				for j := range min(o.Dim, k) {
					sum := 0.0
					for i := range k {
						sum += float64(q.data[i*m.n+r] * vectors[i*k+order[j]])
					}
					u[r*o.Dim+j] = sum
				}
			}
		}
	})
	return u, lambda, err
}

// panel is a tall dense matrix by columns, [n, k].
type panel struct {
	n, k int
	data []float64
}

func newPanel(n, k int) *panel { return &panel{n, k, make([]float64, n*k)} }

func (p *panel) column(j int) []float64 { return p.data[j*p.n : (j+1)*p.n] }

// multiply sets y = m·q. Row by row of m, with q turned to rows first, so that
// every entry of m meets k neighbours in memory.
func multiply(ctx context.Context, y *panel, m *matrix, q *panel, workers int) error {
	k := q.k
	rows := make([]float64, len(q.data))
	for j := range k {
		for r, v := range q.column(j) {
			rows[r*k+j] = v
		}
	}
	return parallel(ctx, m.n, workers, func() func(lo, hi int) {
		sum := make([]float64, k)
		return func(lo, hi int) {
			for r := lo; r < hi; r++ {
				clear(sum)
				for i := m.start[r]; i < m.start[r+1]; i++ {
					v := m.vals[i]
					if v == 0 {
						continue
					}
					c := int(m.cols[i]) * k
					for j, x := range rows[c : c+k] {
						sum[j] += float64(v * x)
					}
				}
				for j, s := range sum {
					y.data[j*m.n+r] = s
				}
			}
		}
	})
}

// orthonormalise makes the columns of p orthonormal by modified Gram–Schmidt,
// run twice ("twice is enough", Giraud et al. 2005). A column that depends on
// those before it becomes zero.
func orthonormalise(ctx context.Context, p *panel, workers int) error {
	for range 2 {
		for j := range p.k {
			q := p.column(j)
			norm := math.Sqrt(dot(q, q))
			// A remainder this far under the size of M's products is rounding.
			if norm < 1e-10 {
				clear(q)
				continue
			}
			for i := range q {
				q[i] /= norm
			}
			rest := p.k - j - 1
			err := parallel(ctx, rest, workers, func() func(lo, hi int) {
				return func(lo, hi int) {
					for l := j + 1 + lo; l < j+1+hi; l++ {
						y := p.column(l)
						r := dot(q, y)
						for i, x := range q {
							y[i] -= float64(r * x)
						}
					}
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// dot adds in four lanes, always the same four, which lets the processor
// overlap the additions.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float64(a[i] * b[i])
		s1 += float64(a[i+1] * b[i+1])
		s2 += float64(a[i+2] * b[i+2])
		s3 += float64(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// noise is a number in [−1, 1), a function of its arguments alone (the finaliser
// of SplitMix64, Steele, Lea and Flood 2014).
func noise(seed, i uint64) float64 {
	x := mix(seed^0x9e3779b97f4a7c15) + (i+1)*0x9e3779b97f4a7c15
	return float64(int64(mix(x))>>10) / (1 << 53)
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
