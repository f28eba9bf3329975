package selftest

import "imdbexp/internal/simd"

// products are the matrix products, each with and without adding to C.
var products = map[string]Kernel{
	"NN": func(e *Operands, n int) {
		m, k := sides(n)
		simd.NN(m, n, k, e.matrix(m, k, k+1), k+1, e.matrix(k, n, n+2), n+2, e.matrix(m, n, n+3), n+3, n%2 == 0)
	},
	"TN": func(e *Operands, n int) {
		m, k := sides(n)
		simd.TN(m, n, k, e.matrix(k, m, m+1), m+1, e.matrix(k, n, n+2), n+2, e.matrix(m, n, n+3), n+3, n%2 == 0)
	},
	"NT": func(e *Operands, n int) {
		m, k := sides(n)
		simd.NT(m, n, k, e.matrix(m, k, k+1), k+1, e.matrix(n, k, k+2), k+2, e.matrix(m, n, n+3), n+3, n%2 == 0)
	},
}

// sides returns the other two sizes of a product with n columns.
func sides(n int) (m, k int) { return 1 + n%13, n % 61 }

// matrix returns rows × cols, a distance of ld apart.
func (e *Operands) matrix(rows, cols, ld int) []float32 {
	if rows == 0 || cols == 0 {
		return e.Vec(0)
	}
	return e.Vec((rows-1)*ld + cols)
}
