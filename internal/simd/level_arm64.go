//go:build !purego

package simd

func (p *product) multiply() {
	if level == NEON {
		p.tiled(NEON, 2, mostNEON[:])
	} else {
		p.portable()
	}
}

// run reads A in its layout: four steps of a row at a time, or all rows of one step.
func (t *tile) run(_ Level, rows, vecs int) {
	if t.aCol == float32Size {
		gemmNEON(t, rows<<4|vecs)
	} else {
		gemmNEONT(t, rows<<4|vecs)
	}
}

// detect has nothing to check: every arm64 that Go runs on has NEON.
func detect() []Level { return []Level{Portable, NEON} }
