package simd

import "unsafe"

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
