package simd

import (
	"fmt"
	"math"
	"unsafe"
)

// The elementary functions below are written for vectors: no tables, no
// branches, the same instructions for every argument. The scalar functions are the
// definition; the assembly uses the same instructions and
// rounds in the same order.
//
// The argument of exp is split as x = n·ln2 + r with n = round(x·log₂e), so that
// |r| ≤ ln2/2, and exp(x) = 2ⁿ·exp(r). ln2 is a sum of two float32, the first
// with 9 zero bits at its end, so that n·ln2Hi is exact.
const (
	log2e = 1.44269504088896341
	ln2Hi = 0.693145751953125
	ln2Lo = 1.428606820309417e-06

	// Adding roundInt to any |x| < 2²² puts the nearest integer (ties to even) into the low
	// bits of the float32, in two's complement.
	roundInt     = 3 << 22
	roundIntBits = 0x4b400000

	// Beyond these arguments exp is +Inf and +0 in float32.
	expMax = 89
	expMin = -104

	// Beyond this argument tanh is 1 in float32.
	tanhMax = 10

	// Here tanh is ½.
	tanhHalf = 0.54930615

	signBit = 1 << 31
)

// Coefficients of exp(r) ≈ 1 + r + r²·(e2 + e3·r + … + e7·r⁵), |r| ≤ ln2/2,
// relative error below 2⁻²⁷ (Moshier, Cephes, expf).
const (
	expC2 = 5.0000001201e-1
	expC3 = 1.6666665459e-1
	expC4 = 4.1665795894e-2
	expC5 = 8.3334519073e-3
	expC6 = 1.3981999507e-3
	expC7 = 1.9875691500e-4
)

// Coefficients of tanh(a) ≈ a + a³·(t3 + t5·a² + … + t11·a⁸) for a below 0.625
// (Moshier, Cephes, tanhf).
const (
	tanhC3  = -3.33332819422e-1
	tanhC5  = 1.33314422036e-1
	tanhC7  = -5.37397155531e-2
	tanhC9  = 2.06390887954e-2
	tanhC11 = -5.70498872745e-3
)

// Exp1 returns eˣ with an error of at most 1 ulp, subnormal results included.
// It is +Inf from 88.722839 upwards, 0 from −103.972084 downwards, and NaN for NaN.
func Exp1(x float32) float32 {
	x = clamp(x, expMin, expMax)
	r, n := reduceExp(x)
	p := expReduced(r)
	// Two factors, as 2ⁿ alone may lie outside float32. Only the second product
	// can round.
	h := n >> 1
	return float32(p * pow2(h) * pow2(n-h)) // the conversion prevents fusing with a sum
}

// Sigmoid1 returns 1/(1+e⁻ˣ) with an error of at most 2 ulp, exact limits 0 and
// 1, and NaN for NaN. It is computed from e = e^(−|x|), which cannot overflow: as
// 1/(1+e) for x ≥ 0, and otherwise as e − e·(e/(1+e)), where the rounding error of the
// denominator has little effect.
func Sigmoid1(x float32) float32 {
	b := math.Float32bits(x)
	e := Exp1(math.Float32frombits(b | signBit))
	if b&signBit == 0 {
		return 1 / (1 + e)
	}
	return fma(-e, e/(1+e), e)
}

// Tanh1 returns tanh(x) with an error of at most 2 ulp, also near 0, limits ±1,
// and NaN for NaN. Below ½ it is an odd polynomial, above it 1 − 2/(e^(2|x|) + 1).
func Tanh1(x float32) float32 {
	b := math.Float32bits(x)
	a := math.Float32frombits(b &^ signBit)
	var t float32
	if a < tanhHalf {
		z := float32(a * a)
		t = fma(float32(z*tanhTail(z)), a, a)
	} else {
		y := a + a
		if a > tanhMax {
			y = 2 * tanhMax
		}
		r, n := reduceExp(y)
		t = 1 - 2/fma(pow2(n), expReduced(r), 1)
	}
	return math.Float32frombits(math.Float32bits(t)&^signBit | b&signBit)
}

// clamp limits x to [lo, hi]; NaN stays NaN.
func clamp(x, lo, hi float32) float32 {
	if x > hi {
		x = hi
	}
	if x < lo {
		x = lo
	}
	return x
}

// reduceExp returns n = round(x·log₂e) and r = x − n·ln2.
func reduceExp(x float32) (r float32, n int32) {
	t := fma(x, log2e, roundInt)
	n = int32(math.Float32bits(t) - roundIntBits)
	f := t - roundInt
	r = fma(f, -ln2Hi, x)
	r = fma(f, -ln2Lo, r)
	return r, n
}

// expReduced returns exp(r) for |r| ≤ ln2/2.
func expReduced(r float32) float32 {
	p := fma(expC7, r, expC6)
	p = fma(p, r, expC5)
	p = fma(p, r, expC4)
	p = fma(p, r, expC3)
	p = fma(p, r, expC2)
	p = fma(p, r, 1)
	return fma(p, r, 1)
}

// tanhTail returns (tanh(a) − a)/a³ for z = a² < tanhHalf².
func tanhTail(z float32) float32 {
	p := fma(tanhC11, z, tanhC9)
	p = fma(p, z, tanhC7)
	p = fma(p, z, tanhC5)
	return fma(p, z, tanhC3)
}

// pow2 returns 2ⁿ for −126 ≤ n ≤ 127.
func pow2(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// Coefficients of log(1+f) ≈ f − f²/2 + f³·(l3 + l4·f + … + l11·f⁸) for
// √½ − 1 ≤ f < √2 − 1 (Moshier, Cephes, logf).
const (
	logC3  = 3.3333331174e-1
	logC4  = -2.4999993993e-1
	logC5  = 2.0000714765e-1
	logC6  = -1.6668057665e-1
	logC7  = 1.4249322787e-1
	logC8  = -1.2420140846e-1
	logC9  = 1.1676998740e-1
	logC10 = -1.1514610310e-1
	logC11 = 7.0376836292e-2

	sqrtHalfBits = 0x3f3504f3 // √½
	minNormal    = 0x1p-126
	mantissaBits = 1<<23 - 1
)

// Log1 returns the natural logarithm of x with an error of at most 1 ulp: −Inf
// for ±0, +Inf for +Inf, NaN for x < 0 and NaN.
func Log1(x float32) float32 {
	switch {
	case x != x || x < 0:
		return float32(math.NaN())
	case x == 0:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	var e int32
	if x < minNormal {
		x *= 1 << 25
		e = -25
	}
	// Subtracting the bits of √½ moves the cut between two exponents there.
	b := math.Float32bits(x) - sqrtHalfBits
	e += int32(b) >> 23
	f := math.Float32frombits(b&mantissaBits+sqrtHalfBits) - 1

	p := fma(logC11, f, logC10)
	p = fma(p, f, logC9)
	p = fma(p, f, logC8)
	p = fma(p, f, logC7)
	p = fma(p, f, logC6)
	p = fma(p, f, logC5)
	p = fma(p, f, logC4)
	p = fma(p, f, logC3)
	f2 := float32(f * f)
	n := float32(e)
	y := float32(float32(p*f) * f2)
	y = fma(n, ln2Lo, y)
	y = fma(-0.5, f2, y)
	y += f
	return fma(n, ln2Hi, y)
}

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
