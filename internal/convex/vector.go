package convex

import "imdbexp/internal/sparse"

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
