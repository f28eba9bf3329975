package simd

import "math"

// portableCols is how many columns a panel of B has: as many sums as there are registers beside
// x, y and t.
//
// On an AMD EPYC (Zen 5) with busy cores eight sums made 4.7 GFLOP/s where 3.2 were made
// with the sums on the stack: nine instructions a step, of which a chain waits for three.
// Thirteen make a tenth more for 200 columns and a quarter more for 50, which are four panels
// and not seven.
const portableCols = 13

// chains adds the products of a row of A with a panel of B to its sums. It
// returns false, with c as it was, if C is too large. A call in the loop would have
// all sums kept in memory, so a step that needs care ends it.
//
// Two sums of three are rounded by conversion, the third by adding half a unit to its bits and
// cutting: other parts of the processor do that.
func chains(c []float32, row []float64, panel [][portableCols]float64) bool {
	var s [portableCols]float64
	if !widened(&s, c) {
		return false
	}
	row = row[:len(panel)]
	at := 0
	var t float64
	var u uint64
	for q := 0; ; q++ {
		s0, s1, s2, s3, s4, s5, s6 := s[0], s[1], s[2], s[3], s[4], s[5], s[6]
		s7, s8, s9, s10, s11, s12 := s[7], s[8], s[9], s[10], s[11], s[12]
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
			u = math.Float64bits(x*y[2]+s2) + half
			if u&cut == 0 {
				at = 2
				break
			}
			s2 = math.Float64frombits(u &^ cut)
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
			u = math.Float64bits(x*y[5]+s5) + half
			if u&cut == 0 {
				at = 5
				break
			}
			s5 = math.Float64frombits(u &^ cut)
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
			u = math.Float64bits(x*y[8]+s8) + half
			if u&cut == 0 {
				at = 8
				break
			}
			s8 = math.Float64frombits(u &^ cut)
			if t = x*y[9] + s9; tie(t) {
				at = 9
				break
			}
			s9 = float64(float32(t))
			if t = x*y[10] + s10; tie(t) {
				at = 10
				break
			}
			s10 = float64(float32(t))
			u = math.Float64bits(x*y[11]+s11) + half
			if u&cut == 0 {
				at = 11
				break
			}
			s11 = math.Float64frombits(u &^ cut)
			if t = x*y[12] + s12; tie(t) {
				at = 12
				break
			}
			s12 = float64(float32(t))
		}
		s = [...]float64{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12}
		if q == len(panel) {
			break
		}
		carefully(&s, row[q], &panel[q], at)
	}
	for i := range c {
		c[i] = float32(s[i])
	}
	return true
}

// small reports whether t is subnormal in float32, and not zero, which wraps round to the top.
func small(t float64) bool {
	const normal = 2 * (897 << 52) // twice the bits of the least normal one
	return math.Float64bits(t)<<1-1 < normal-1
}

// smallChains is chains for numbers so small that a sum may become subnormal.
func smallChains(c []float32, row []float64, panel [][portableCols]float64) bool {
	var s [portableCols]float64
	if !widened(&s, c) {
		return false
	}
	row = row[:len(panel)]
	at := 0
	var t float64
	for q := 0; ; q++ {
		s0, s1, s2, s3, s4, s5, s6 := s[0], s[1], s[2], s[3], s[4], s[5], s[6]
		s7, s8, s9, s10, s11, s12 := s[7], s[8], s[9], s[10], s[11], s[12]
		for ; q < len(panel); q++ {
			x, y := row[q], &panel[q]
			if t = x*y[0] + s0; small(t) || tie(t) {
				at = 0
				break
			}
			s0 = float64(float32(t))
			if t = x*y[1] + s1; small(t) || tie(t) {
				at = 1
				break
			}
			s1 = float64(float32(t))
			if t = x*y[2] + s2; small(t) || tie(t) {
				at = 2
				break
			}
			s2 = float64(float32(t))
			if t = x*y[3] + s3; small(t) || tie(t) {
				at = 3
				break
			}
			s3 = float64(float32(t))
			if t = x*y[4] + s4; small(t) || tie(t) {
				at = 4
				break
			}
			s4 = float64(float32(t))
			if t = x*y[5] + s5; small(t) || tie(t) {
				at = 5
				break
			}
			s5 = float64(float32(t))
			if t = x*y[6] + s6; small(t) || tie(t) {
				at = 6
				break
			}
			s6 = float64(float32(t))
			if t = x*y[7] + s7; small(t) || tie(t) {
				at = 7
				break
			}
			s7 = float64(float32(t))
			if t = x*y[8] + s8; small(t) || tie(t) {
				at = 8
				break
			}
			s8 = float64(float32(t))
			if t = x*y[9] + s9; small(t) || tie(t) {
				at = 9
				break
			}
			s9 = float64(float32(t))
			if t = x*y[10] + s10; small(t) || tie(t) {
				at = 10
				break
			}
			s10 = float64(float32(t))
			if t = x*y[11] + s11; small(t) || tie(t) {
				at = 11
				break
			}
			s11 = float64(float32(t))
			if t = x*y[12] + s12; small(t) || tie(t) {
				at = 12
				break
			}
			s12 = float64(float32(t))
		}
		s = [...]float64{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12}
		if q == len(panel) {
			break
		}
		carefully(&s, row[q], &panel[q], at)
	}
	for i := range c {
		c[i] = float32(s[i])
	}
	return true
}
