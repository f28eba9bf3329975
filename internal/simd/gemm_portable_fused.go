//go:build arm64 || riscv64

package simd

// The portable product where fma is one instruction: tiles of 4 rows × 4 columns, whose
// sums stay in registers, from panels of B of 4 columns.

const (
	portableBlock = 256 // steps of k in a panel of B
	portableSide  = 4   // rows and columns of a tile
)

func (p *product) portable() {
	var panel [portableBlock][portableSide]float32
	for k0 := 0; k0 < p.k; k0 += portableBlock {
		k := min(portableBlock, p.k-k0)
		for j := 0; j < p.n; j += portableSide {
			cols := min(portableSide, p.n-j)
			p.panelB(panel[:k], k0, j, cols)
			for i := 0; i < p.m; i += portableSide {
				rows := min(portableSide, p.m-i)
				var s [portableSide][portableSide]float32
				if k0 > 0 || p.add {
					for r := range rows {
						copy(s[r][:cols], p.c[(i+r)*p.ldc+j:])
					}
				}
				at := i*p.aRow + k0*p.aCol
				if rows == portableSide {
					chains4(&s, p.a[at:], p.aRow, p.aCol, panel[:k])
				} else {
					for r := range rows {
						chains1(&s[r], p.a[at+r*p.aRow:], p.aCol, panel[:k])
					}
				}
				for r := range rows {
					copy(p.c[(i+r)*p.ldc+j:][:cols], s[r][:])
				}
			}
		}
	}
}

// panelB copies B[k0:k0+len(panel), j:j+cols], with zeros beyond.
func (p *product) panelB(panel [][portableSide]float32, k0, j, cols int) {
	if cols < portableSide {
		clear(panel)
	}
	if p.transB {
		for col := range cols {
			for q, x := range p.b[(j+col)*p.ldb+k0:][:len(panel)] {
				panel[q][col] = x
			}
		}
		return
	}
	for q := range panel {
		copy(panel[q][:cols], p.b[(k0+q)*p.ldb+j:])
	}
}

// chains4 adds the products of four rows of A, which begin aRow apart, with a panel of
// B to their sums.
func chains4(s *[portableSide][portableSide]float32, a []float32, aRow, aCol int, panel [][portableSide]float32) {
	a0, a1, a2, a3 := a, a[aRow:], a[2*aRow:], a[3*aRow:]
	s00, s01, s02, s03 := s[0][0], s[0][1], s[0][2], s[0][3]
	s10, s11, s12, s13 := s[1][0], s[1][1], s[1][2], s[1][3]
	s20, s21, s22, s23 := s[2][0], s[2][1], s[2][2], s[2][3]
	s30, s31, s32, s33 := s[3][0], s[3][1], s[3][2], s[3][3]
	at := 0
	for q := range panel {
		y := &panel[q]
		y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
		x := a0[at]
		s00, s01, s02, s03 = fma(x, y0, s00), fma(x, y1, s01), fma(x, y2, s02), fma(x, y3, s03)
		x = a1[at]
		s10, s11, s12, s13 = fma(x, y0, s10), fma(x, y1, s11), fma(x, y2, s12), fma(x, y3, s13)
		x = a2[at]
		s20, s21, s22, s23 = fma(x, y0, s20), fma(x, y1, s21), fma(x, y2, s22), fma(x, y3, s23)
		x = a3[at]
		s30, s31, s32, s33 = fma(x, y0, s30), fma(x, y1, s31), fma(x, y2, s32), fma(x, y3, s33)
		at += aCol
	}
	s[0] = [...]float32{s00, s01, s02, s03}
	s[1] = [...]float32{s10, s11, s12, s13}
	s[2] = [...]float32{s20, s21, s22, s23}
	s[3] = [...]float32{s30, s31, s32, s33}
}

// chains1 is chains4 for one row.
func chains1(s *[portableSide]float32, a []float32, aCol int, panel [][portableSide]float32) {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	at := 0
	for q := range panel {
		x, y := a[at], &panel[q]
		s0, s1, s2, s3 = fma(x, y[0], s0), fma(x, y[1], s1), fma(x, y[2], s2), fma(x, y[3], s3)
		at += aCol
	}
	*s = [...]float32{s0, s1, s2, s3}
}
