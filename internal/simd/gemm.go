package simd

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// The matrix products take row-major float32 matrices as slices that begin at
// the first element, each with its leading dimension (elements from one row to
// the next, at least the width). C must not overlap A or B.
//
// Every element of C is one chain of fused multiply-adds, k ascending, that
// begins with the old element if accumulate is set and with +0 otherwise. So
// the bits do not depend on the shape of a tile, the level or a split of m, n or k.
// (The sign and payload of a NaN are not defined: they differ by CPU.)
// With k = 0, C becomes zero or, with accumulate, stays as it is.
//
// A slice too short for its matrix is a mistake of the caller and panics.

// NN sets C = A·B, or adds it to C: A [m, k], B [k, n], C [m, n].
func NN(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	check("NN: A", m, k, lda, len(a))
	check("NN: B", k, n, ldb, len(b))
	check("NN: C", m, n, ldc, len(c))
	p := product{m: m, n: n, k: k, a: a, aRow: lda, aCol: 1, b: b, ldb: ldb, c: c, ldc: ldc, add: accumulate}
	p.run()
}

// TN sets C = Aᵀ·B, or adds it to C: A [k, m], B [k, n], C [m, n].
func TN(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	check("TN: A", k, m, lda, len(a))
	check("TN: B", k, n, ldb, len(b))
	check("TN: C", m, n, ldc, len(c))
	p := product{m: m, n: n, k: k, a: a, aRow: 1, aCol: lda, b: b, ldb: ldb, c: c, ldc: ldc, add: accumulate}
	p.run()
}

// NT sets C = A·Bᵀ, or adds it to C: A [m, k], B [n, k], C [m, n].
func NT(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	check("NT: A", m, k, lda, len(a))
	check("NT: B", n, k, ldb, len(b))
	check("NT: C", m, n, ldc, len(c))
	p := product{m: m, n: n, k: k, a: a, aRow: lda, aCol: 1, b: b, ldb: ldb, transB: true, c: c, ldc: ldc, add: accumulate}
	p.run()
}

// product is one call; its strides distinguish NN, TN and NT.
type product struct {
	m, n, k    int
	a          []float32
	aRow, aCol int // elements from A[i, p] to A[i+1, p] and to A[i, p+1]
	b          []float32
	ldb        int
	transB     bool // B is stored [n, k]
	c          []float32
	ldc        int
	add        bool // C += instead of C =
}

func (p *product) run() {
	switch {
	case p.m == 0 || p.n == 0:
	case p.k > 0:
		p.multiply()
	case !p.add:
		for i := range p.m {
			clear(p.c[i*p.ldc:][:p.n])
		}
	}
}

// check panics unless a matrix of the given size fits into have elements.
func check(what string, rows, cols, ld, have int) {
	if rows > 0 && cols > 0 {
		high, low := bits.Mul64(uint64(rows-1), uint64(ld))
		if ld >= cols && have >= cols && high == 0 && low <= uint64(have-cols) {
			return
		}
	} else if rows >= 0 && cols >= 0 && ld >= cols {
		return
	}
	panicSize(what, rows, cols, ld, have)
}

func panicSize(what string, rows, cols, ld, have int) {
	panic(fmt.Sprintf("simd.%s [%d, %d] with leading dimension %d does not fit into %d elements", what, rows, cols, ld, have))
}

// tile is the argument of the kernels of the matrix products: rows × vectors of C, and
// further such tiles below. Strides are in bytes, so A may be transposed.
type tile struct {
	k     int            // steps of the sum, 1 or more
	tiles int            // tiles one below the other, 1 or more; the kernel counts it down
	a     unsafe.Pointer // A[0, 0] of the first tile
	aRow  int            // from A[i, p] to A[i+1, p]
	aCol  int            // from A[i, p] to A[i, p+1]
	b     unsafe.Pointer // B[0, 0]
	bRow  int            // from B[p, j] to B[p+1, j]
	c     unsafe.Pointer // C[0, 0] of the first tile
	cRow  int            // from C[i, j] to C[i+1, j]
	tail  int            // valid columns in the last vector, 1 up to its lanes
	load  int            // whether the sums begin with C (1) or with zero (0)
}
