package simd

import "math"

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
