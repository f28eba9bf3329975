//go:build !(arm64 || riscv64)

package simd

import "math"

// fma returns x·y + z rounded once, as the fused instruction does.
//
// The product of two float32 is exact in float64, so only the addition and the
// conversion to float32 round. Rounding twice is wrong only if the float64
// sum lies exactly half way between two float32, or if the result is subnormal, where the
// half-way points are different. Then roundOdd decides.
func fma(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z) // p is exact: fused or not, the same bits
	b := math.Float64bits(s)
	if b&(1<<29-1) == 1<<28 || b&(2047<<52) < 897<<52 {
		return roundOdd(p, float64(z), s)
	}
	return float32(s)
}

// roundOdd converts p + z to float32 with one rounding, where s = p + z in
// float64. The error of that sum (Knuth's TwoSum) is exact. If it is not zero,
// the last bit of s is set to one, after stepping back if s was rounded
// past the true value. A float64 rounded to odd has enough bits to be
// rounded again correctly (Boldo and Melquiond 2008). Inlined, roundOdd would make
// fma too large and the portable kernels slower by half.
//
//go:noinline
func roundOdd(p, z, s float64) float32 {
	t := s - p
	e := (p - (s - t)) + (z - t)
	if e != 0 && e == e {
		b := math.Float64bits(s)
		if b&1 == 0 {
			if (e > 0) == (s > 0) {
				b++
			} else {
				b--
			}
			s = math.Float64frombits(b)
		}
	}
	return float32(s)
}
