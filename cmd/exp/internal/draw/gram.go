package draw

import (
	"imdbexp/internal/simd"
)

// gram is the matrix of dot products of n rows.
type gram struct {
	n      int
	values []float32 // [n, n]
}

// newGram returns the dot products of rows [n, d].
func newGram(rows []float32, n, d int) gram {
	g := gram{n: n, values: make([]float32, n*n)}
	for i := range n {
		simd.DotRows(g.values[i*n:][:n], rows, d, d, rows[i*d:][:d])
	}
	return g
}

// at returns the dot product of rows i and j.
func (g gram) at(i, j int) float64 { return float64(g.values[i*g.n+j]) }

// limits returns the smallest and the largest product among the rows from after on.
func (g gram) limits(after int) (low, high float64) {
	low = g.at(after, after)
	high = low
	for i := after; i < g.n; i++ {
		for j := after; j < g.n; j++ {
			low, high = min(low, g.at(i, j)), max(high, g.at(i, j))
		}
	}
	return low, high
}
