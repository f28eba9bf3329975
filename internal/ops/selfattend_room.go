package ops

import "sync"

// headOf returns the memory of a head's columns from a row on.
func headOf(m Mat, row, head, width int) []float32 { return m.Data[row*m.Cols+head*width:] }

// stride returns the distance of the rows of a tile with so many columns: whole
// cache lines, an odd number of them, so that a column's rows do not crowd into
// a few sets of the cache.
func stride(cols int) int { return ((cols+15)/16 | 1) * 16 }

// roomList keeps the memory of tasks that have ended for those to come: at most
// as many as run at a time.
type roomList struct {
	sync.Mutex
	list []*room
}

// room is the memory of one task.
type room struct {
	s, ds           []float32 // tiles: scores, then P; gradient of P, then of the scores
	xT, vT          []float32 // [dk, cols], [dv, cols] what the columns of the tile belong to
	sumT, dvT       []float32 // [dv or dk, cols] what is summed up over the rows
	top, m, before  []float32 // [cols] the largest score, raw and scaled, and that before
	sum, dot, shift []float32 // see simd.SoftmaxColumns and SoftmaxGradRows
	turned          []float32 // [cols, width] sumT, turned round
	equal           []float32 // a tile whose columns are all the same
	live            []int     // of each tile of queries, how many have a gradient
}

func (l *roomList) take() *room {
	l.Lock()
	defer l.Unlock()
	if n := len(l.list); n > 0 {
		r := l.list[n-1]
		l.list = l.list[:n-1]
		return r
	}
	return new(room)
}

func (l *roomList) give(r *room) {
	l.Lock()
	defer l.Unlock()
	l.list = append(l.list, r)
}
