package optim

import "slices"

// Rows is a table with a gradient for some of its rows, such as word vectors. An Optimizer
// accepts a *Rows like a weight and keeps slots for the whole table.
//
// The optimiser decides which rows a step updates: see Adam and SGD. A row's new values
// depend on that row alone, so For may split the work in any way.
type Rows struct {
	W   []float32 // [R, Dim]
	Dim int
	LR  float64   // learning rate of the table, in the place of the optimiser's
	IDs []int32   // [U] rows with a gradient, rising
	G   []float32 // [U, Dim]

	// For calls f(0) … f(n−1), in any order or at once; nil does it in turn.
	For func(n int, f func(part int)) error

	zeros []float32 // gradients of rows that have none
}

// Rows of one part: enough to be worth scheduling, few enough for an even distribution.
const (
	touchedAtOnce = 128
	rowsAtOnce    = 1024
)

// touched calls f for the rows that have a gradient, in parts.
func (r *Rows) touched(f func(ids []int32, g []float32)) error {
	n := len(r.IDs)
	return r.parts((n+touchedAtOnce-1)/touchedAtOnce, func(part int) {
		from, to := part*touchedAtOnce, min((part+1)*touchedAtOnce, n)
		f(r.IDs[from:to], r.G[from*r.Dim:to*r.Dim])
	})
}

// all calls f for the whole table, with zeros as gradients of rows that have none.
func (r *Rows) all(f func(lo, hi int, g []float32)) error {
	if r.zeros == nil {
		r.zeros = make([]float32, rowsAtOnce*r.Dim)
	}
	n := len(r.W) / r.Dim
	return r.parts((n+rowsAtOnce-1)/rowsAtOnce, func(part int) {
		begin, end := part*rowsAtOnce, min((part+1)*rowsAtOnce, n)
		from, _ := slices.BinarySearch(r.IDs, int32(begin))
		to, _ := slices.BinarySearch(r.IDs, int32(end))
		at := begin * r.Dim
		untouched := func(end int) {
			if end > at {
				f(at, end, r.zeros[:end-at])
			}
		}
		for i := from; i < to; i++ {
			lo := int(r.IDs[i]) * r.Dim
			untouched(lo)
			at = lo + r.Dim
			f(lo, at, r.G[i*r.Dim:][:r.Dim])
		}
		untouched(end * r.Dim)
	})
}

func (r *Rows) parts(n int, f func(part int)) error {
	if r.For != nil {
		return r.For(n, f)
	}
	for i := range n {
		f(i)
	}
	return nil
}
