package ops

import (
	"slices"

	"imdbexp/internal/simd"
)

// Mat is a row-major matrix [Rows, Cols] of float32, its rows back to back; or a
// lookup that has not been carried out: where IDs is set, row i is row IDs[i] of
// the table Data, or where Words is set, too, row Words[IDs[i]]; each stands there once.
type Mat struct {
	Rows, Cols int
	Data       []float32
	IDs, Words []int32
}

// Row returns row i, sharing the matrix's memory.
func (m Mat) Row(i int) []float32 {
	if m.IDs != nil {
		i = int(m.IDs[i])
	}
	if m.Words != nil {
		i = int(m.Words[i])
	}
	return m.Data[i*m.Cols : (i+1)*m.Cols]
}

// places returns in buf, grown as needed, these rows, of a lookup their places in its table or
// among its words.
func (m Mat) places(buf, rows []int32) []int32 {
	buf = append(buf[:0], rows...)
	if m.IDs != nil {
		for i, row := range rows {
			buf[i] = m.IDs[row]
		}
	}
	return buf
}

// Range returns the rows lo … hi of a matrix that is no lookup, sharing its
// memory.
func (m Mat) Range(lo, hi int) []float32 { return m.Data[lo*m.Cols : hi*m.Cols] }

// Grad receives the gradient of one input from a backward pass, which overwrites the matrix, or
// adds to it if another op has written its part.
type Grad struct {
	Mat
	Add      bool
	deferred *deferredGrad // the part of another op that is not written yet
}

// Wanted reports whether this gradient was requested.
func (g Grad) Wanted() bool { return g.Data != nil }

// anyWanted reports whether anybody asked for one of these.
func anyWanted(list []Grad) bool { return slices.ContainsFunc(list, Grad.Wanted) }

// grown returns a slice of n elements, b's own memory where that is enough.
// What it holds is undefined.
func grown[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n, n+n/8)
	}
	return b[:n]
}

// put leaves row as the gradient of row i, where that is wanted.
func (g Grad) put(i int, row []float32) {
	switch {
	case !g.Wanted():
	case g.Add:
		simd.Add(g.Row(i), row)
	default:
		copy(g.Row(i), row)
	}
}

// putRange leaves x as the gradient of the rows lo … hi, where that is wanted.
func (g Grad) putRange(lo, hi int, x []float32) {
	switch {
	case !g.Wanted():
	case g.Add:
		simd.Add(g.Range(lo, hi), x)
	default:
		copy(g.Range(lo, hi), x)
	}
}

// putAll leaves x as the whole gradient, where that is wanted.
func (g Grad) putAll(x []float32) {
	switch {
	case !g.Wanted():
	case g.Add:
		simd.Add(g.Data, x)
	default:
		copy(g.Data, x)
	}
}
