package simd

import "math"

// lanes is the number of virtual lanes of a reduction, at every level.
const lanes = 16

// Dot returns Σ x[i]·y[i]: a chain of fused multiply-adds in each of the 16 lanes,
// the last group filled up with zeros, then the tree. The lengths are equal.
func Dot(x, y []float32) float32 {
	checkLen("Dot", len(x), len(y))
	if level != Portable {
		return dotVec(ptr(x), ptr(y), len(x))
	}
	return dotPortable(x, y)
}

func dotPortable(x, y []float32) float32 {
	var acc [lanes]float32
	for len(x) >= lanes {
		a, b := (*[lanes]float32)(x), (*[lanes]float32)(y)
		for l := range acc {
			acc[l] = fma(a[l], b[l], acc[l])
		}
		x, y = x[lanes:], y[lanes:]
	}
	if len(x) > 0 {
		var a, b [lanes]float32
		copy(a[:], x)
		copy(b[:], y)
		for l := range acc {
			acc[l] = fma(a[l], b[l], acc[l])
		}
	}
	return tree(&acc)
}

// Sum returns Σ x[i] over the 16 lanes and their tree.
func Sum(x []float32) float32 {
	if level != Portable {
		return sumVec(ptr(x), len(x))
	}
	return sumPortable(x)
}

func sumPortable(x []float32) float32 {
	var acc [lanes]float32
	for len(x) >= lanes {
		a := (*[lanes]float32)(x)
		for l := range acc {
			acc[l] += a[l]
		}
		x = x[lanes:]
	}
	for l, v := range x {
		acc[l] += v
	}
	return tree(&acc)
}

// SumSquares returns Σ x[i]² over 16 float64 lanes and their tree. The squares
// are exact.
func SumSquares(x []float32) float64 {
	if level != Portable {
		return sumSquaresVec(ptr(x), len(x))
	}
	return sumSquaresPortable(x)
}

func sumSquaresPortable(x []float32) float64 {
	var acc [lanes]float64
	for len(x) >= lanes {
		a := (*[lanes]float32)(x)
		for l := range acc {
			v := float64(a[l])
			acc[l] += float64(v * v)
		}
		x = x[lanes:]
	}
	for l, v := range x {
		acc[l] += float64(float64(v) * float64(v))
	}
	return tree(&acc)
}

// Max returns the largest element: NaN if there is one, −Inf for an empty slice.
// The order of the lanes and their tree decides between +0 and −0.
func Max(x []float32) float32 {
	var m float32
	var ok bool
	if level != Portable {
		m, ok = maxVec(ptr(x), len(x))
	} else {
		m, ok = maxPortable(x)
	}
	if !ok {
		return float32(math.NaN())
	}
	return m
}

// maxPortable also returns whether no element is NaN.
func maxPortable(x []float32) (m float32, ok bool) {
	var acc [lanes]float32
	for l := range acc {
		acc[l] = float32(math.Inf(-1))
	}
	for i, v := range x {
		if v != v {
			return v, false
		}
		if v > acc[i%lanes] {
			acc[i%lanes] = v
		}
	}
	for h := lanes / 2; h > 0; h /= 2 {
		for l := range h {
			if acc[l+h] > acc[l] {
				acc[l] = acc[l+h]
			}
		}
	}
	return acc[0], true
}

// ArgMax returns the index of the largest element, the first of equals.
func ArgMax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// tree adds lane l to lane l+8, then l+4, l+2 and l+1.
func tree[T float32 | float64](a *[lanes]T) T {
	for h := lanes / 2; h > 0; h /= 2 {
		for l := range h {
			a[l] += a[l+h]
		}
	}
	return a[0]
}

// SoftmaxLSE sets dst[i] = exp(s[i] − lse) and returns lse = log Σ exp(s[i]), both
// without overflow: with m the largest score and S = Σ exp(s[i] − m) over the 16
// lanes, dst[i] = exp(s[i] − m)·(1/S) and lse = m + log S. dst may be s.
//
// An empty slice gives −Inf. A NaN, a +Inf, or nothing but −Inf gives NaN everywhere.
func SoftmaxLSE(dst, s []float32) (lse float32) {
	checkLen("SoftmaxLSE", len(dst), len(s))
	if len(s) == 0 {
		return float32(math.Inf(-1))
	}
	m := Max(s)
	var sum float32
	if level != Portable {
		sum = expSumVec(ptr(dst), ptr(s), len(s), m)
	} else {
		sum = expSumPortable(dst, s, m)
	}
	Scale(dst, 1/sum)
	one := [1]float32{sum}
	Log(one[:], one[:])
	return m + one[0]
}

// expSumPortable sets dst[i] = exp(s[i] − m) and returns the sum.
func expSumPortable(dst, s []float32, m float32) float32 {
	var acc [lanes]float32
	for i, v := range s {
		e := Exp1(v - m)
		dst[i] = e
		acc[i%lanes] += e
	}
	return tree(&acc)
}
