package ops

import "sync"

// headOf returns the memory of a head's columns from a row on.
func headOf(m Mat, row, head, width int) []float32 { return m.Data[row*m.Cols+head*width:] }

// stride returns the distance between the rows of a tile with cols columns. It is an odd
// number of cache lines, because otherwise the rows of a column share
// a few sets of the cache.
func stride(cols int) int { return ((cols+15)/16 | 1) * 16 }

// roomList keeps the memory of finished tasks for later ones: at most
// as many as run at a time.
type roomList struct {
	sync.Mutex
	list []*room
}

// room is the memory of one task.
type room struct {
	s, ds           []float32 // tiles: scores, then P; gradient of P, then of the scores
	xT, vT          []float32 // [dk, cols], [dv, cols] the queries or keys and the values of the tile's columns
	sumT, dvT       []float32 // [dv or dk, cols] sums over the rows
	top, m, before  []float32 // [cols] the largest score, raw and scaled, and the previous one
	sum, dot, shift []float32 // see simd.SoftmaxColumns and SoftmaxGradRows
	turned          []float32 // [cols, width] sumT, transposed
	equal           []float32 // a tile whose columns are all the same
	live            []int     // number of queries with a gradient in each tile
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
