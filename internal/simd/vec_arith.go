package simd

// Axpy adds a·x to dst, rounded once: dst[i] = fma(a, x[i], dst[i]).
func Axpy(dst []float32, a float32, x []float32) {
	checkLen("Axpy", len(dst), len(x))
	if level != Portable {
		axpyVec(ptr(dst), ptr(x), len(x), a)
	} else {
		for i, v := range x {
			dst[i] = fma(a, v, dst[i])
		}
	}
}

// Add adds x to dst.
func Add(dst, x []float32) {
	checkLen("Add", len(dst), len(x))
	if level != Portable {
		addVec(ptr(dst), ptr(x), len(x))
	} else {
		for i, v := range x {
			dst[i] += v
		}
	}
}

// Mul sets dst[i] = x[i]·y[i]. dst may be x or y.
func Mul(dst, x, y []float32) {
	checkLen("Mul", len(dst), len(x), len(y))
	if level != Portable {
		mulVec(ptr(dst), ptr(x), ptr(y), len(x))
	} else {
		for i, v := range x {
			dst[i] = v * y[i]
		}
	}
}

// Scale multiplies dst by a.
func Scale(dst []float32, a float32) {
	if level != Portable {
		scaleVec(ptr(dst), len(dst), a)
	} else {
		for i := range dst {
			dst[i] *= a
		}
	}
}

// Fill sets every element of dst to a.
func Fill(dst []float32, a float32) {
	if level != Portable {
		fillVec(ptr(dst), len(dst), a)
	} else {
		for i := range dst {
			dst[i] = a
		}
	}
}

// ReLU sets dst[i] = max(x[i], 0); NaN and −0 pass through. dst may be x.
func ReLU(dst, x []float32) {
	checkLen("ReLU", len(dst), len(x))
	if level != Portable {
		reluVec(ptr(dst), ptr(x), len(x))
	} else {
		for i, v := range x {
			if v < 0 {
				v = 0
			}
			dst[i] = v
		}
	}
}

// ReLUGrad sets dst[i] = dy[i], or 0 where x[i] ≤ 0; where x[i] is NaN, dy[i]
// passes. dst may be x or dy. x may be the output of ReLU as well as its input.
func ReLUGrad(dst, x, dy []float32) {
	checkLen("ReLUGrad", len(dst), len(x), len(dy))
	if level != Portable {
		reluGradVec(ptr(dst), ptr(x), ptr(dy), len(x))
	} else {
		for i, v := range x {
			u := dy[i]
			if v <= 0 {
				u = 0
			}
			dst[i] = u
		}
	}
}
