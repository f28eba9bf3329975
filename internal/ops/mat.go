package ops

import (
	"slices"

	"imdbexp/internal/simd"
)

// Mat is a row-major matrix [Rows, Cols] of float32, its rows contiguous, or a
// lookup that has not been carried out. If IDs is set, row i is row IDs[i] of the table
// Data; if Words is set, too, row Words[IDs[i]], where Words are distinct.
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

// places returns rows in buf, grown as needed; for a lookup their rows in its table or their
// indices in its words.
func (m Mat) places(buf, rows []int32) []int32 {
	buf = append(buf[:0], rows...)
	if m.IDs != nil {
		for i, row := range rows {
			buf[i] = m.IDs[row]
		}
	}
	return buf
}

// Range returns the rows lo … hi, sharing the matrix's memory. Lookups have no Range.
func (m Mat) Range(lo, hi int) []float32 { return m.Data[lo*m.Cols : hi*m.Cols] }

// Grad is the destination of the gradient of one input. The backward pass overwrites
// the matrix, or adds to it if another op has already written its part.
type Grad struct {
	Mat
	Add      bool
	deferred *deferredGrad // another op's part that has not been written yet
}

// Wanted reports whether the gradient is needed.
func (g Grad) Wanted() bool { return g.Data != nil }

// anyWanted reports whether one of the gradients is needed.
func anyWanted(list []Grad) bool { return slices.ContainsFunc(list, Grad.Wanted) }

// grown returns a slice of n elements, in b's memory if it is large enough.
// Its contents are undefined.
func grown[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n, n+n/8)
	}
	return b[:n]
}

// put writes or adds row to row i of the gradient, if it is needed.
func (g Grad) put(i int, row []float32) {
	switch {
	case !g.Wanted():
	case g.Add:
		simd.Add(g.Row(i), row)
	default:
		copy(g.Row(i), row)
	}
}

// putRange writes or adds x to the rows lo … hi of the gradient, if it is needed.
func (g Grad) putRange(lo, hi int, x []float32) {
	switch {
	case !g.Wanted():
	case g.Add:
		simd.Add(g.Range(lo, hi), x)
	default:
		copy(g.Range(lo, hi), x)
	}
}

// putAll writes or adds x to the whole gradient, if it is needed.
func (g Grad) putAll(x []float32) { g.putRange(0, g.Rows, x) }
