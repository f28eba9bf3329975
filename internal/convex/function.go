package convex

import (
	"imdbexp/internal/sparse"
)

// function is f at a point: its value, its gradient, and the product of its Hessian with any
// direction. A point v has the weights [F, columns] and, behind them, the biases [columns].
type function struct {
	vectors
	p       *Problem
	columns int
	weights int // F·columns

	scaled   []float64 // [weights] s∘w; nil without scale
	z, dz    []float64 // [N, columns]
	curve    []float64 // [N, columns] at the last point of value
	transfer []float64 // [weights] Xᵀ·dz
}

const rowsOfShard = 256

func newFunction(pool sparse.Pool, p *Problem) *function {
	k := Columns(p.Classes)
	f := &function{vectors: vectors{pool: pool}, p: p, columns: k, weights: p.X.Cols * k}
	if p.Scale != nil {
		f.scaled = make([]float64, f.weights)
	}
	f.z, f.dz, f.curve = make([]float64, p.X.Rows*k), make([]float64, p.X.Rows*k), make([]float64, p.X.Rows*k)
	f.transfer = make([]float64, f.weights)
	return f
}

// size returns the length of a point.
func (f *function) size() int { return f.weights + f.columns }

// scores sets f.z to the scores of all rows at v.
func (f *function) scores(v []float64) {
	w := v[:f.weights]
	if f.scaled != nil {
		f.each(f.weights, shardSize, func(from, to int) (none [2]float64) {
			for i := from; i < to; i++ {
				f.scaled[i] = w[i] * f.p.Scale[i]
			}
			return none
		})
		w = f.scaled
	}
	if f.err == nil {
		f.err = f.p.X.Multiply(f.pool, f.z, w, f.columns)
	}
}

// rows calls do for the scores of every row, the biases of v added, and returns the sum.
func (f *function) rows(v []float64, do func(row int, z []float64, part []float64) float64) float64 {
	bias := v[f.weights:]
	k := f.columns
	return f.each(f.p.X.Rows, rowsOfShard, func(from, to int) (sum [2]float64) {
		for i := from; i < to; i++ {
			z := f.z[i*k : i*k+k]
			for j := range z {
				z[j] += bias[j]
			}
			sum[0] += do(i, z, f.dz[i*k:i*k+k])
		}
		return sum
	})[0]
}

// value returns f(v) and sets f.dz and f.curve for gradient and hessian.
func (f *function) value(v []float64) float64 {
	f.scores(v)
	k := f.columns
	loss := f.rows(v, func(row int, z, dz []float64) float64 {
		loss := f.p.loss(f.p.Labels[row], z, dz, f.curve[row*k:row*k+k])
		return f.weigh(row, dz, loss)
	})
	w := v[:f.weights]
	return float64(0.5*f.dot(w, w)) + float64(f.p.C*loss)
}

// weigh multiplies dz, and the loss, which it returns, by the weight of the row's class.
func (f *function) weigh(row int, dz []float64, loss float64) float64 {
	if f.p.Weights == nil {
		return loss
	}
	w := f.p.Weights[f.p.Labels[row]]
	for j := range dz {
		dz[j] *= w
	}
	return float64(w * loss)
}

// gradient sets dst to the gradient at v, the last point of value, and returns its square.
func (f *function) gradient(dst, v []float64) float64 { return f.collect(dst, v, dst)[1] }

// hessian sets dst to the Hessian at the last point of value times d, and returns d·dst.
func (f *function) hessian(dst, d []float64) float64 {
	f.scores(d)
	k := f.columns
	f.rows(d, func(row int, q, dz []float64) float64 {
		copy(dz, q)
		f.p.bend(dz, f.curve[row*k:row*k+k])
		return f.weigh(row, dz, 0)
	})
	return f.collect(dst, d, d)[0]
}

// collect sets dst = v + C·∂z/∂v·dz, where v is the penalty's part, and returns
// with·dst and dst·dst.
func (f *function) collect(dst, v, with []float64) [2]float64 {
	if f.err == nil {
		f.err = f.p.Transposed.Multiply(f.pool, f.transfer, f.dz, f.columns)
	}
	sum := f.each(f.weights, shardSize, func(from, to int) (sum [2]float64) {
		for i := from; i < to; i++ {
			g := f.p.C * f.transfer[i]
			if f.p.Scale != nil {
				g *= f.p.Scale[i]
			}
			dst[i] = v[i] + float64(g)
			sum[0] += float64(with[i] * dst[i])
			sum[1] += float64(dst[i] * dst[i])
		}
		return sum
	})
	for j := range f.columns {
		total := f.each(f.p.X.Rows, shardSize, func(from, to int) (sum [2]float64) {
			for i := from; i < to; i++ {
				sum[0] += f.dz[i*f.columns+j]
			}
			return sum
		})
		at, g := f.weights+j, f.p.C*total[0]
		dst[at] = g
		sum[0] += float64(with[at] * g)
		sum[1] += float64(g * g)
	}
	return sum
}

// vectors works on long columns of numbers in shards of fixed size, whose sums are added up in
// the order of the shards. The first error is kept, and later results are invalid.
type vectors struct {
	pool sparse.Pool
	part [][2]float64
	err  error
}

const shardSize = 1 << 13

// each calls f for the elements from … to of n, and returns the sums of its results.
func (v *vectors) each(n, size int, f func(from, to int) [2]float64) (sum [2]float64) {
	if v.err != nil {
		return sum
	}
	shards := (n + size - 1) / size
	for len(v.part) < shards {
		v.part = append(v.part, [2]float64{})
	}
	v.err = v.pool.For(shards, func(s int) { v.part[s] = f(s*size, min(n, (s+1)*size)) })
	for _, p := range v.part[:shards] {
		sum[0] += p[0]
		sum[1] += p[1]
	}
	return sum
}

// dot returns x·y.
func (v *vectors) dot(x, y []float64) float64 {
	return v.each(len(x), shardSize, func(from, to int) (sum [2]float64) {
		for i := from; i < to; i++ {
			sum[0] += float64(x[i] * y[i])
		}
		return sum
	})[0]
}

// add sets dst = x + y.
func (v *vectors) add(dst, x, y []float64) {
	v.each(len(dst), shardSize, func(from, to int) (none [2]float64) {
		for i := from; i < to; i++ {
			dst[i] = x[i] + y[i]
		}
		return none
	})
}
