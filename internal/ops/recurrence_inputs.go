package ops

import "imdbexp/internal/simd"

// recurring holds the distinct rows of a lookup. Each is multiplied with the weights once, and the
// product is copied to all its positions in the batch. A product has the
// same bits wherever it is computed.
type recurring struct {
	ones     []float32 // [distinct, d+1] the rows, each with a one appended; empty if x is not a lookup
	products []float32 // [distinct, width] with wxb
}

// multiply prepares project, for inputs x and weights wxb [d+1, width].
func (k *recurrence) multiply(x Mat, wxb []float32, width int) error {
	k.ones = k.ones[:0]
	if x.IDs == nil {
		return nil
	}
	d, rows := x.Cols, len(x.Words)
	k.ones, k.products = grown(k.ones, rows*(d+1)), grown(k.products, rows*width)
	return k.g.pool.For((rows+blockRows-1)/blockRows, func(i int) {
		lo, hi := i*blockRows, min((i+1)*blockRows, rows)
		ones := k.ones[lo*(d+1) : hi*(d+1)]
		withOnes(ones, x, x.Words[lo:hi], x.Words[min(lo+prefetchAhead, rows):])
		simd.NN(hi-lo, width, d+1, ones, d+1, wxb, width, k.products[lo*width:], width, false)
	})
}

// project sets z [rows, width], with leading dimension ld, to the products of the inputs of the
// steps t0 … t1 with wxb [d+1, width], including the bias.
func (k *recurrence) project(g *group, t0, t1 int, x Mat, wxb []float32, width int, z []float32, ld int) {
	lo, hi := g.base[t0], g.base[t1]
	g.ids = x.places(g.ids, g.at[lo:min(hi+prefetchCopied, len(g.at))])
	n := hi - lo
	if len(k.ones) > 0 {
		simd.GatherRows(z, ld, k.products, width, g.ids[:n], g.ids[min(prefetchCopied, len(g.ids)):])
		return
	}
	k.inputs(g, x, g.ids, n)
	simd.NN(n, width, x.Cols+1, g.x, x.Cols+1, wxb, width, z, ld, false)
}

// inputs copies the first n of the given rows of x.Data to g.x, each with a one appended. It
// prefetches the next rows.
func (k *recurrence) inputs(g *group, x Mat, rows []int32, n int) {
	d := x.Cols
	g.x = grown(g.x, n*(d+1))
	now, later := rows[:n], rows[min(prefetchCopied, len(rows)):]
	if len(k.ones) > 0 {
		simd.GatherRows(g.x, d+1, k.ones, d+1, now, later)
		return
	}
	withOnes(g.x, x, now, later)
}

// withOnes copies rows of x.Data to to [·, d+1], each with a one appended, and prefetches the
// later ones.
func withOnes(to []float32, x Mat, rows, later []int32) {
	d := x.Cols
	simd.GatherRows(to, d+1, x.Data, d, rows, later)
	for i := d; i < len(to); i += d + 1 {
		to[i] = 1
	}
}
