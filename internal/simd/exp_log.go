package simd

import "math"

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
