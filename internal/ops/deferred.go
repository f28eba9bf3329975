package ops

import "imdbexp/internal/simd"

// deferredGrad is a gradient that has not been written to memory yet: coef[i]·rows[b] for
// word i of review b. If another op adds a part of the same form, both are written at once:
// the rows of a batch do not fit the second cache, so writing them twice costs more than
// computing them.
//
// With values it is the gradient of weights [N, 1]: rows[b]·values[i] for word i.
type deferredGrad struct {
	seq    *Seq
	rows   Mat       // [B, d]
	coef   []float32 // [N]
	values Mat       // [N, d]; without Data for the first form
}

// ofWeights reports whether w is a gradient of weights.
func (w *deferredGrad) ofWeights() bool { return w != nil && w.values.Data != nil }

// dots computes the gradient of the weights of a review's words lo … hi.
func (w *deferredGrad) dots(to []float32, review, lo, hi int) {
	d := w.values.Cols
	simd.DotRows(to, w.values.Range(lo, hi), d, d, w.rows.Row(review))
}

// write writes the gradient if it is deferred.
func (g *Grad) write(pool *Pool) error {
	w := g.deferred
	if w == nil {
		return nil
	}
	g.deferred = nil
	d := g.Cols
	return pool.reviews(w.seq, func(_, b, lo, hi int) {
		if w.ofWeights() {
			w.dots(g.Data[lo:hi], b, lo, hi)
			return
		}
		simd.NN(hi-lo, d, 1, w.coef[lo:hi], 1, w.rows.Row(b), d, g.Range(lo, hi), d, false)
	})
}

// with adds coef·row to the gradient of a review's words lo … hi and writes both, with the
// bits of one after the other. pair is a buffer, returned because it may grow.
func (w *deferredGrad) with(pair []float32, coef, row []float32, to Mat, review, lo, hi int) []float32 {
	n, d := hi-lo, len(row)
	pair = grown(pair, 2*(n+d))
	left, right := pair[:2*n], pair[2*n:]
	for i, c := range w.coef[lo:hi] {
		left[2*i], left[2*i+1] = c, coef[i]
	}
	copy(right[copy(right, w.rows.Row(review)):], row)
	simd.NN(n, d, 2, left, 2, right, d, to.Range(lo, hi), d, false)
	return pair
}
