// Package sparse multiplies sparse matrices, such as the counts of n-grams, with dense
// columns of weights.
//
// Elements are float32, or all ones that are not stored; the columns and all sums are float64,
// because a solver needs the precision. An element of a product is one sum in the order of the
// row's elements, and each product is rounded before it is added. So a product has the same bits
// on every processor and for any number of workers. For Xᵀ·G a solver keeps the transpose.
package sparse

import (
	"slices"
	"sort"
)

// Pool runs f(0) … f(n−1), each once, perhaps several at a time, and waits for all; a panic
// becomes an error. ops.Pool is one.
type Pool interface {
	For(n int, f func(i int)) error
}

// Serial is the Pool of one worker.
type Serial struct{}

// For calls f(0) … f(n−1) in order.
func (Serial) For(n int, f func(int)) error {
	for i := range n {
		f(i)
	}
	return nil
}

// Matrix is a sparse matrix [Rows, Cols] by rows (CSR). Row i has the columns
// Index[Start[i]:Start[i+1]], increasing, with their elements in Value.
type Matrix struct {
	Rows, Cols int
	Start      []int     // [Rows+1] from 0 to len(Index)
	Index      []int32   // [elements]
	Value      []float32 // [elements]; nil if all are 1
}

// Row returns the columns of row i and their elements, nil if all are 1.
func (m *Matrix) Row(i int) (index []int32, value []float32) {
	from, to := m.Start[i], m.Start[i+1]
	if m.Value != nil {
		value = m.Value[from:to]
	}
	return m.Index[from:to], value
}

// Multiply sets dst = m·w, w [Cols, k] and dst [Rows, k] row-major.
func (m *Matrix) Multiply(pool Pool, dst, w []float64, k int) error {
	const maxParts = 64
	cuts := Cuts(m.Start, max(1, min(maxParts, m.Rows, (len(m.Index)+m.Rows)/4096)))
	return pool.For(len(cuts)-1, func(s int) {
		for i := cuts[s]; i < cuts[s+1]; i++ {
			index, value := m.Row(i)
			switch {
			case k > 1:
				several(dst[i*k:i*k+k], index, value, w)
			case value == nil:
				dst[i] = sum(index, w)
			default:
				dst[i] = dot(index, value, w)
			}
		}
	})
}

func sum(index []int32, w []float64) (s float64) {
	for _, c := range index {
		s += w[c]
	}
	return s
}

func dot(index []int32, value []float32, w []float64) (s float64) {
	value = value[:len(index)]
	for j, c := range index {
		s += float64(float64(value[j]) * w[c]) // a conversion, so that nothing is fused
	}
	return s
}

// several is dot or sum for len(dst) columns of w at a time.
func several(dst []float64, index []int32, value []float32, w []float64) {
	clear(dst)
	for j, c := range index {
		x := 1.0
		if value != nil {
			x = float64(value[j])
		}
		row := w[int(c)*len(dst):][:len(dst)]
		for k, u := range row {
			dst[k] += float64(x * u)
		}
	}
}

// Cuts divides rows, which begin at start[i] and end at start[i+1], into n shards of about the same
// size: shard s has the rows cuts[s] to cuts[s+1].
func Cuts(start []int, n int) (cuts []int) {
	rows := len(start) - 1
	cuts = make([]int, n+1)
	for s := 1; s < n; s++ {
		cuts[s] = sort.SearchInts(start[:rows], start[rows]/n*s)
	}
	cuts[n] = rows
	return cuts
}

// Transpose returns mᵀ.
func (m *Matrix) Transpose() *Matrix {
	t := &Matrix{Rows: m.Cols, Cols: m.Rows, Start: make([]int, m.Cols+1), Index: make([]int32, len(m.Index))}
	if m.Value != nil {
		t.Value = make([]float32, len(m.Value))
	}
	for _, c := range m.Index {
		t.Start[c+1]++
	}
	for c := range m.Cols {
		t.Start[c+1] += t.Start[c]
	}
	next := slices.Clone(t.Start) // where the next element of a column goes
	for i := range m.Rows {
		for e := m.Start[i]; e < m.Start[i+1]; e++ {
			to := next[m.Index[e]]
			next[m.Index[e]]++
			t.Index[to] = int32(i)
			if m.Value != nil {
				t.Value[to] = m.Value[e]
			}
		}
	}
	return t
}
