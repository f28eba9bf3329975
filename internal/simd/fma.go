//go:build !(arm64 || riscv64)

package simd

import "math"

// fma returns x·y + z rounded once, as the fused instruction does.
//
// The product of two float32 is exact in float64, so only the addition and the
// conversion to float32 round. Rounding twice goes wrong only where the float64
// sum lies exactly half way between two float32 (or is so small that the result
// is subnormal, where half way lies elsewhere); there roundOdd decides.
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
// float64: the error of that sum (Knuth's TwoSum) is exact, and if there is one
// the last bit of s is forced to one, pointing away from s when it was rounded
// past the true value. A float64 rounded to odd has the bits to spare to be
// rounded again without harm (Boldo and Melquiond 2008). Inlined, it would make
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
