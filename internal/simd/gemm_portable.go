//go:build !(arm64 || riscv64)

package simd

import "math"

// The portable product keeps eight sums of one row of C as float64 that hold
// float32 values. There a product is exact, its sum with the accumulator is
// rounded to float64, and that again to float32 by a conversion there and back. Two
// roundings give what one gives unless
//
//   - the first one ends half way between two float32, which the bits that float32
//     has not tell;
//   - float32 would overflow: the ranges of A, B and C, looked at once, rule
//     that out;
//   - a sum would be subnormal in float32 and so have fewer bits: the ranges
//     mostly rule that out, too, and where they do not (gradients that vanish)
//     each step is looked at.
//
// Such a step is done with care; where the ranges are too wide, all are, by fma.
//
// On an AMD EPYC (Zen 5) beside a busy sibling this makes 4.7 GFLOP/s where 3.2 were
// made with the sums on the stack and integer rounding: nine instructions a step, of
// which a chain waits for three.

const (
	portableRows  = 256 // rows of A whose ranges are kept
	portableBlock = 128 // steps of k in a panel of B
	portableCols  = 8   // columns in a panel of B: as many sums as registers hold
)

// span bounds the magnitudes of some numbers: lo of those that are not zero.
type span struct{ lo, hi float64 }

// limits gathers a span on the bits of float32, whose order is that of the
// magnitudes, with NaN above infinity. Zero less one wraps round to the top.
type limits struct{ lo, hi uint32 }

func noLimits() limits { return limits{lo: math.MaxUint32} }

func (l *limits) add(x float32) {
	b := math.Float32bits(x) &^ (1 << 31)
	l.lo = min(l.lo, b-1)
	l.hi = max(l.hi, b)
}

func (l limits) span() span {
	if l.lo == math.MaxUint32 { // all are zero
		return span{lo: math.Inf(1)}
	}
	return span{lo: float64(math.Float32frombits(l.lo + 1)), hi: float64(math.Float32frombits(l.hi))}
}

// bounded reports whether no sum of k products of numbers in these spans, begun
// with up to 2¹²⁶, can overflow float32. NaN makes it false.
func bounded(a, b span, k int) bool { return a.hi*b.hi*float64(k) <= 0x1p126 }

// ample reports whether no such sum can need more bits than float32's subnormal
// numbers have: a product has 48 bits, so one of at least 2⁻¹⁰² is a multiple of
// the smallest float32, 2⁻¹⁴⁹.
func ample(a, b span) bool { return a.hi*b.hi == 0 || a.lo*b.lo >= 0x1p-102 }

func (p *product) portable() {
	var panel [portableBlock][portableCols]float64
	var rows [portableRows]span
	var row [portableBlock]float64
	for i0 := 0; i0 < p.m; i0 += portableRows {
		i1 := min(i0+portableRows, p.m)
		for k0 := 0; k0 < p.k; k0 += portableBlock {
			k := min(portableBlock, p.k-k0)
			for i := i0; i < i1; i++ {
				rows[i-i0] = p.spanA(i, k0, k)
			}
			for j := 0; j < p.n; j += portableCols {
				cols := min(portableCols, p.n-j)
				b := p.panelB(panel[:k], k0, j, cols)
				for i := i0; i < i1; i++ {
					c := p.c[i*p.ldc+j:][:cols]
					if k0 == 0 && !p.add {
						clear(c)
					}
					a := p.a[i*p.aRow+k0*p.aCol:]
					done := false
					if bounded(rows[i-i0], b, k) {
						for q := range row[:k] {
							row[q] = float64(a[q*p.aCol])
						}
						if ample(rows[i-i0], b) {
							done = chains(c, row[:k], panel[:k])
						} else {
							done = smallChains(c, row[:k], panel[:k])
						}
					}
					if !done {
						p.exact(c, a, k0, k, j)
					}
				}
			}
		}
	}
}

// spanA returns the span of A[i, k0:k0+k].
func (p *product) spanA(i, k0, k int) span {
	l := noLimits()
	for q := range k {
		l.add(p.a[i*p.aRow+(k0+q)*p.aCol])
	}
	return l.span()
}

// panelB copies B[k0:k0+len(panel), j:j+cols], with zeros beyond, and returns its span.
func (p *product) panelB(panel [][portableCols]float64, k0, j, cols int) span {
	l := noLimits()
	if p.transB {
		for col := range cols {
			for q, x := range p.b[(j+col)*p.ldb+k0:][:len(panel)] {
				panel[q][col] = float64(x)
				l.add(x)
			}
		}
	} else {
		for q := range panel {
			for col, x := range p.b[(k0+q)*p.ldb+j:][:cols] {
				panel[q][col&7] = float64(x)
				l.add(x)
			}
		}
	}
	if cols < portableCols {
		for q := range panel {
			clear(panel[q][cols:])
		}
	}
	return l.span()
}

// exact runs the chains of c = C[i, j:j+len(c)] with fma; a begins at A[i, k0].
func (p *product) exact(c, a []float32, k0, k, j int) {
	bRow, bCol := p.ldb, 1
	if p.transB {
		bRow, bCol = 1, p.ldb
	}
	for col := range c {
		s := c[col]
		for q := range k {
			s = fma(a[q*p.aCol], p.b[(k0+q)*bRow+(j+col)*bCol], s)
		}
		c[col] = s
	}
}

// chains adds the products of a row of A with a panel of B to up to eight sums. It
// returns false, with c as it was, if C is too large. A call in the loop would have
// all sums kept in memory, so a step that needs care ends it.
func chains(c []float32, row []float64, panel [][portableCols]float64) bool {
	const (
		half = 1 << 28
		cut  = 1<<29 - 1 // the bits that float64 has and float32 has not
	)
	var s [portableCols]float64
	for i, x := range c {
		if math.Float32bits(x)&^(1<<31) > 253<<23 { // 2¹²⁶
			return false
		}
		s[i&7] = float64(x)
	}
	row = row[:len(panel)]
	at := 0
	var t float64
	for q := 0; ; q++ {
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for ; q < len(panel); q++ {
			x, y := row[q], &panel[q]
			t = x*y[0] + s0
			if math.Float64bits(t)&cut == half {
				at = 0
				break
			}
			s0 = float64(float32(t))
			t = x*y[1] + s1
			if math.Float64bits(t)&cut == half {
				at = 1
				break
			}
			s1 = float64(float32(t))
			t = x*y[2] + s2
			if math.Float64bits(t)&cut == half {
				at = 2
				break
			}
			s2 = float64(float32(t))
			t = x*y[3] + s3
			if math.Float64bits(t)&cut == half {
				at = 3
				break
			}
			s3 = float64(float32(t))
			t = x*y[4] + s4
			if math.Float64bits(t)&cut == half {
				at = 4
				break
			}
			s4 = float64(float32(t))
			t = x*y[5] + s5
			if math.Float64bits(t)&cut == half {
				at = 5
				break
			}
			s5 = float64(float32(t))
			t = x*y[6] + s6
			if math.Float64bits(t)&cut == half {
				at = 6
				break
			}
			s6 = float64(float32(t))
			t = x*y[7] + s7
			if math.Float64bits(t)&cut == half {
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

// carefully makes one step of the chains from number at on, each rounded once.
//
//go:noinline
func carefully(s *[portableCols]float64, x float64, y *[portableCols]float64, at int) {
	for i := at; i < len(s); i++ {
		z := s[i]
		p := x * y[i]
		s[i] = float64(roundOdd(p, z, p+z))
	}
}

// smallChains is chains for numbers so small that a sum may become subnormal. It
// rounds to float32 by adding half a unit to the bits and cutting: the bits are at hand.
func smallChains(c []float32, row []float64, panel [][portableCols]float64) bool {
	const (
		half = 1 << 28
		cut  = 1<<29 - 1 // the bits that float64 has and float32 has not
		// Twice the bits of a sum, less twice those of zero and one more: zero
		// wraps round to the top, what is below 2⁻¹²⁶ is below normal.
		zero   = 2*half + 1
		normal = 2*(897<<52) - zero
	)
	var s [portableCols]float64
	for i, x := range c {
		if math.Float32bits(x)&^(1<<31) > 253<<23 { // 2¹²⁶
			return false
		}
		s[i&7] = float64(x)
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
