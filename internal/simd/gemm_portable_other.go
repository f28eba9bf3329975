//go:build !(amd64 || arm64 || riscv64)

package simd

import "math"

// portableCols is how many columns a panel of B has. In WebAssembly thirteen, as on amd64, are a
// tenth to a fifth slower.
const portableCols = 8

// chains adds the products of a row of A with a panel of B to up to eight sums. It
// returns false, with c as it was, if C is too large. A call in the loop would have
// all sums kept in memory, so a step that needs care ends it.
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

// smallChains is chains for numbers so small that a sum may become subnormal. It
// rounds to float32 by adding half a unit to the bits and cutting: the bits are at hand.
func smallChains(c []float32, row []float64, panel [][portableCols]float64) bool {
	const (
		// Twice the bits of a sum, less twice those of zero and one more: zero
		// wraps round to the top, what is below 2⁻¹²⁶ is below normal.
		zero   = 2*half + 1
		normal = 2*(897<<52) - zero
	)
	var s [portableCols]float64
	if !widened(&s, c) {
		return false
	}
	row = row[:len(panel)]
	for q := 0; ; q++ {
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for ; q < len(panel); q++ {
			x, y := row[q], &panel[q]
			u0 := math.Float64bits(x*y[0]+s0) + half
			if u0&cut == 0 || u0<<1-zero < normal {
				break
			}
			u1 := math.Float64bits(x*y[1]+s1) + half
			if u1&cut == 0 || u1<<1-zero < normal {
				break
			}
			u2 := math.Float64bits(x*y[2]+s2) + half
			if u2&cut == 0 || u2<<1-zero < normal {
				break
			}
			u3 := math.Float64bits(x*y[3]+s3) + half
			if u3&cut == 0 || u3<<1-zero < normal {
				break
			}
			u4 := math.Float64bits(x*y[4]+s4) + half
			if u4&cut == 0 || u4<<1-zero < normal {
				break
			}
			u5 := math.Float64bits(x*y[5]+s5) + half
			if u5&cut == 0 || u5<<1-zero < normal {
				break
			}
			u6 := math.Float64bits(x*y[6]+s6) + half
			if u6&cut == 0 || u6<<1-zero < normal {
				break
			}
			u7 := math.Float64bits(x*y[7]+s7) + half
			if u7&cut == 0 || u7<<1-zero < normal {
				break
			}
			s0 = math.Float64frombits(u0 &^ cut)
			s1 = math.Float64frombits(u1 &^ cut)
			s2 = math.Float64frombits(u2 &^ cut)
			s3 = math.Float64frombits(u3 &^ cut)
			s4 = math.Float64frombits(u4 &^ cut)
			s5 = math.Float64frombits(u5 &^ cut)
			s6 = math.Float64frombits(u6 &^ cut)
			s7 = math.Float64frombits(u7 &^ cut)
		}
		s = [...]float64{s0, s1, s2, s3, s4, s5, s6, s7}
		if q == len(panel) {
			break
		}
		carefully(&s, row[q], &panel[q], 0)
	}
	for i := range c {
		c[i] = float32(s[i&7])
	}
	return true
}
