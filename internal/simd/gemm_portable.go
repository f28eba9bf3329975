//go:build !(arm64 || riscv64)

package simd

import "math"

// The portable product keeps some sums of one row of C as float64 that hold
// float32 values. In float64 a product is exact. Its sum with the accumulator is
// rounded to float64, and then to float32 by a conversion there and back. Rounding
// twice gives the same result as rounding once unless
//
//   - the float64 lies half way between two float32, which its low
//     bits show;
//   - float32 would overflow; the ranges of A, B and C, computed once, rule
//     that out;
//   - a sum would be subnormal in float32 and have fewer bits; the ranges
//     usually rule that out, too, and otherwise (with vanishing gradients)
//     each step is checked.
//
// Such a step is computed by fma, and so is the whole product if the ranges are too large.

const (
	portableRows  = 256 // rows of A whose ranges are kept
	portableBlock = 128 // steps of k in a panel of B
)

// span bounds the magnitudes of some numbers; lo is the smallest that is not zero.
type span struct{ lo, hi float64 }

// limits collects a span on the bits of float32, which are ordered like the
// magnitudes, with NaN above infinity. Zero minus one wraps around to the top.
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

// bounded reports whether no sum of k products of numbers in these spans, starting
// with up to 2¹²⁶, can overflow float32. With NaN it is false.
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
			row := panel[q][:cols]
			for col, x := range p.b[(k0+q)*p.ldb+j:][:cols] {
				row[col] = float64(x)
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

const (
	half = 1 << 28
	cut  = 1<<29 - 1 // the bits that float64 has and float32 lacks
)

// tie reports whether t lies half way between two float32.
func tie(t float64) bool { return math.Float64bits(t)&cut == half }

// widened copies c to s. It returns false if a sum that starts with it could overflow.
func widened(s *[portableCols]float64, c []float32) bool {
	for i, x := range c {
		if math.Float32bits(x)&^(1<<31) > 253<<23 { // 2¹²⁶
			return false
		}
		s[i] = float64(x)
	}
	return true
}

// carefully computes one step of the chains from number at on, each rounded once.
//
//go:noinline
func carefully(s *[portableCols]float64, x float64, y *[portableCols]float64, at int) {
	for i := at; i < len(s); i++ {
		z := s[i]
		p := x * y[i]
		s[i] = float64(roundOdd(p, z, p+z))
	}
}
