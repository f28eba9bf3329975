package simd

import (
	"fmt"
	"unsafe"
)

// Exp sets dst[i] = Exp1(x[i]). The slices have the same length; dst may be x.
func Exp(dst, x []float32) {
	checkLen("Exp", len(dst), len(x))
	if level != Portable {
		expVec(ptr(dst), ptr(x), len(x))
	} else {
		for i, v := range x {
			dst[i] = Exp1(v)
		}
	}
}

// Log sets dst[i] = Log1(x[i]). The slices have the same length; dst may be x.
func Log(dst, x []float32) {
	checkLen("Log", len(dst), len(x))
	if level != Portable {
		logVec(ptr(dst), ptr(x), len(x))
	} else {
		for i, v := range x {
			dst[i] = Log1(v)
		}
	}
}

// Sigmoid sets dst[i] = Sigmoid1(x[i]). The slices have the same length; dst may be x.
func Sigmoid(dst, x []float32) {
	checkLen("Sigmoid", len(dst), len(x))
	if level != Portable {
		sigmoidVec(ptr(dst), ptr(x), len(x))
	} else {
		for i, v := range x {
			dst[i] = Sigmoid1(v)
		}
	}
}

// Tanh sets dst[i] = Tanh1(x[i]). The slices have the same length; dst may be x.
func Tanh(dst, x []float32) {
	checkLen("Tanh", len(dst), len(x))
	if level != Portable {
		tanhVec(ptr(dst), ptr(x), len(x))
	} else {
		for i, v := range x {
			dst[i] = Tanh1(v)
		}
	}
}

// checkLen panics, like an index out of range, if a kernel is called with
// slices of different lengths.
func checkLen(kernel string, want int, lens ...int) {
	for _, n := range lens {
		if n != want {
			panic(fmt.Sprintf("simd.%s: lengths %d and %d differ", kernel, n, want))
		}
	}
}

// ptr returns the address of the first element for a kernel in assembly.
func ptr[T any](s []T) *T { return unsafe.SliceData(s) }
