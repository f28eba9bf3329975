package ops

import "imdbexp/internal/simd"

// waiting is a gradient that is still to be written: word i of review b has
// coef[i]·rows[b]. Where another op adds a part of the same kind, both are written
// at once; the rows of a batch's words do not fit the second cache, and to write
// them twice costs more than to compute them.
//
// Or the gradient of weights [N, 1]: that of word i is rows[b]·values[i].
type waiting struct {
	seq    *Seq
	rows   Mat       // [B, d]
	coef   []float32 // [N]
	values Mat       // [N, d]; none of the first kind
}

// takesWaiting is a kernel that takes a gradient that waits and writes it with its
// own; it leaves waits nil.
type takesWaiting interface{ takesWaiting() }

// makesWaiting is a kernel that may make the gradient of its first result itself, where that
// waits (nil: it does not), and then says so.
type makesWaiting interface{ makes(w *waiting) bool }

// ofWeights reports whether a gradient of weights waits.
func (w *waiting) ofWeights() bool { return w != nil && w.values.Data != nil }

// dots makes the gradient of the weights of a review's words lo … hi.
func (w *waiting) dots(to []float32, review, lo, hi int) {
	d := w.values.Cols
	simd.DotRows(to, w.values.Range(lo, hi), d, d, w.rows.Row(review))
}

// write writes the gradient, where it still waits.
func (g *Grad) write(pool *Pool) error {
	w := g.waits
	if w == nil {
		return nil
	}
	g.waits = nil
	d := g.Cols
	return pool.For(w.seq.shards(), func(shard int) {
		w.seq.each(shard, func(b, lo, hi int) {
			if w.ofWeights() {
				w.dots(g.Data[lo:hi], b, lo, hi)
				return
			}
			simd.NN(hi-lo, d, 1, w.coef[lo:hi], 1, w.rows.Row(b), d, g.Range(lo, hi), d, false)
		})
	})
}

// with adds coef·row to the gradient of a review's words lo … hi and writes both:
// the same bits as one after the other. pair is room for them, which grows.
func (w *waiting) with(pair []float32, coef, row []float32, to Mat, review, lo, hi int) []float32 {
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
