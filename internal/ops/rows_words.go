package ops

import "imdbexp/internal/simd"

// wordRows holds the rows of a lookup for a kernel that reads words review by review. The rows
// of a review are copied just before, so they are in the caches while the kernel uses them.
type wordRows struct {
	buf  []float32 // [N, d] if a backward pass reads them again, otherwise one review for each shard
	room int       // size for each shard; 0 in the first case
}

// prepare allocates memory for the rows of x, all of them if they are kept for a backward pass.
func (w *wordRows) prepare(s *Seq, x Mat, keep bool) {
	if x.IDs == nil {
		return
	}
	n := x.Rows * x.Cols
	if w.room = 0; !keep {
		for b := range s.reviews.Len() {
			w.room = max(w.room, s.length(b)*x.Cols)
		}
		n = s.shards() * w.room
	}
	w.buf = grown(w.buf, n)
}

// read returns the rows lo … hi of x, a review of the shard.
func (w *wordRows) read(x Mat, shard, lo, hi int) []float32 {
	if x.IDs == nil {
		return x.Range(lo, hi)
	}
	at := shard * w.room
	if w.room == 0 {
		at = lo * x.Cols
	}
	rows := w.buf[at:][:(hi-lo)*x.Cols]
	simd.GatherRows(rows, x.Cols, x.Data, x.Cols, x.IDs[lo:hi], x.IDs[min(lo+prefetchAhead, x.Rows):])
	return rows
}

// kept returns x, or the copy of its rows that was kept.
func (w *wordRows) kept(x Mat) Mat {
	if x.IDs != nil {
		x.Data, x.IDs = w.buf, nil
	}
	return x
}
