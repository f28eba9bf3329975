package ops

import (
	"slices"
	"sync"
)

// attentionTask is one task of a worker: the rows lo … hi of a review, in
// one head.
type attentionTask struct {
	review, head, lo, hi int
	slice                int // backwards: its number in the review
	cost                 int // elements of S
}

// A slice of keys is large enough that the parts of the gradient of the queries,
// one row for each slice and query, cost almost nothing compared with its tiles. There
// are few slices, so memory stays linear in the length of a review.
const (
	sliceKeys = 4 * tileCols
	maxSlices = 8
)

// sliceSize returns the keys of a slice of a review; the last one may be smaller.
func sliceSize(keys int) int {
	slices := min((keys+sliceKeys-1)/sliceKeys, maxSlices)
	return evenly(keys, (keys+slices-1)/slices, 16)
}

// evenly returns the size of the parts, a multiple of unit, if n rows are cut
// into as few parts of at most limit rows as possible; the last one may be smaller.
func evenly(n, limit, unit int) int {
	parts := (n + limit - 1) / limit
	size := (n + parts - 1) / parts
	return (size + unit - 1) / unit * unit
}

// each runs f for the rows of an axis against those of another, in parts of size(n) rows of a
// review with n; the cost of a part may depend on the mask.
func (k *attention) each(rows, against *Seq, size func(n int) int, cost func(lo, hi, against int) int, f func(r *work, t attentionTask)) error {
	k.tasks = k.tasks[:0]
	for b := range rows.reviews.Len() {
		n := rows.length(b)
		size := size(n)
		for h := range k.Heads {
			for s, lo := 0, 0; lo < n; s, lo = s+1, lo+size {
				hi := min(lo+size, n)
				k.tasks = append(k.tasks, attentionTask{review: b, head: h, lo: lo, hi: hi, slice: s, cost: cost(lo, hi, against.length(b))})
			}
		}
	}
	return k.run(f)
}

// eachBlock runs f for all blocks of rows of an axis against the rows of another.
func (k *attention) eachBlock(rows, against *Seq, f func(r *work, t attentionTask)) error {
	block := func(n int) int { return evenly(n, tileCols, 16) }
	return k.each(rows, against, block, func(lo, hi, n int) int {
		if k.Causal {
			n = hi
		}
		return (hi - lo) * n
	}, f)
}

// allElements is the cost of rows without a mask.
func allElements(lo, hi, against int) int { return (hi - lo) * against }

// run starts with the largest tasks: otherwise a worker could start a large one at the
// end.
func (k *attention) run(f func(r *work, t attentionTask)) error {
	slices.SortStableFunc(k.tasks, func(a, b attentionTask) int { return b.cost - a.cost })
	return k.g.pool.For(len(k.tasks), func(i int) {
		r := k.free.take()
		f(r, k.tasks[i])
		k.free.give(r)
	})
}

// headOf returns the memory of a head's columns from a row on.
func headOf(m Mat, row, head, width int) []float32 { return m.Data[row*m.Cols+head*width:] }

// stride returns the distance between the rows of a tile with cols columns. It is an odd
// number of cache lines, because otherwise the rows of a column share
// a few sets of the cache.
func stride(cols int) int { return ((cols+15)/16 | 1) * 16 }

// workList keeps the memory of finished tasks for later ones: at most
// as many as run at a time.
type workList struct {
	sync.Mutex
	list []*work
}

// work is the memory of one task.
type work struct {
	s, ds           []float32 // tiles: scores, then P; gradient of P, then of the scores
	xT, vT          []float32 // [dk, cols], [dv, cols] the queries or keys and the values of the tile's columns
	sumT, dvT       []float32 // [dv or dk, cols] sums over the rows
	top, m, before  []float32 // [cols] the largest score, raw and scaled, and the previous one
	sum, dot, shift []float32 // see simd.SoftmaxColumns and SoftmaxGradRows
	turned          []float32 // [cols, width] sumT, transposed
	equal           []float32 // a tile whose columns are all the same
	live            []int     // number of queries with a gradient in each tile
}

func (l *workList) take() *work {
	l.Lock()
	defer l.Unlock()
	if n := len(l.list); n > 0 {
		r := l.list[n-1]
		l.list = l.list[:n-1]
		return r
	}
	return new(work)
}

func (l *workList) give(r *work) {
	l.Lock()
	defer l.Unlock()
	l.list = append(l.list, r)
}
