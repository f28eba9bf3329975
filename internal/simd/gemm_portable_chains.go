//go:build !(arm64 || riscv64)

package simd

import "math"

// portableCols is how many columns a panel of B has. On amd64, eight sums in registers take
// half the time of a loop over an array; thirteen would save a fifth more.
const portableCols = 8

// chains adds the products of a row of A with a panel of B to up to eight sums. It returns
// false, with c unchanged, if C is too large. A call in the loop would keep all sums in
// memory, so the loop stops at a step that needs carefully.
func chains(c []float32, row []float64, panel [][portableCols]float64) bool {
	var s [portableCols]float64
	if !widened(&s, c) {
		return false
	}
	row = row[:len(panel)]
	at := 0
	var t float64
	for q := 0; ; q++ {
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for ; q < len(panel); q++ {
			x, y := row[q], &panel[q]
			if t = x*y[0] + s0; tie(t) {
				at = 0
				break
			}
			s0 = float64(float32(t))
			if t = x*y[1] + s1; tie(t) {
				at = 1
				break
			}
			s1 = float64(float32(t))
			if t = x*y[2] + s2; tie(t) {
				at = 2
				break
			}
			s2 = float64(float32(t))
			if t = x*y[3] + s3; tie(t) {
				at = 3
				break
			}
			s3 = float64(float32(t))
			if t = x*y[4] + s4; tie(t) {
				at = 4
				break
			}
			s4 = float64(float32(t))
			if t = x*y[5] + s5; tie(t) {
				at = 5
				break
			}
			s5 = float64(float32(t))
			if t = x*y[6] + s6; tie(t) {
				at = 6
				break
			}
			s6 = float64(float32(t))
			if t = x*y[7] + s7; tie(t) {
				at = 7
				break
			}
			s7 = float64(float32(t))
		}
		s = [...]float64{s0, s1, s2, s3, s4, s5, s6, s7}
		if q == len(panel) {
			break
		}
		carefully(&s, row[q], &panel[q], at)
	}
	for i := range c {
		c[i] = float32(s[i&7])
	}
	return true
}

// smallChains is chains for numbers so small that a sum could become subnormal.
func smallChains(c []float32, row []float64, panel [][portableCols]float64) bool {
	var s [portableCols]float64
	if !widened(&s, c) {
		return false
	}
	for q := range panel {
		x, y := row[q], &panel[q]
		for i := range s {
			t := x*y[i] + s[i]
			if small(t) || tie(t) {
				carefully(&s, x, y, i)
				break
			}
			s[i] = float64(float32(t))
		}
	}
	for i := range c {
		c[i] = float32(s[i])
	}
	return true
}

// small reports whether t is subnormal in float32 and not zero. Zero less one wraps around.
func small(t float64) bool {
	const normal = 2 * (897 << 52) // twice the bits of the smallest normal number
	return math.Float64bits(t)<<1-1 < normal-1
}
