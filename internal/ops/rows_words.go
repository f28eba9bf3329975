package ops

import "imdbexp/internal/simd"

// wordRows are the rows of a lookup for a kernel that reads the words a review after the
// other: copied when it comes to a review, they stay in the caches until it is done with it.
type wordRows struct {
	buf  []float32 // [N, d] where a backward pass reads them again, else room for a review of each shard
	room int       // of a shard; 0 in the first case
}

// prepare makes room for the rows of x, for a backward pass if they are to be kept.
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

// read returns the rows lo … hi of x, those of a review of a shard.
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
