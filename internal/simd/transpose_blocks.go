//go:build (amd64 || arm64) && !purego

package simd

// blocks transposes in blocks of 8 × 8 in registers and does the rest element by
// element.
func blocks(dst []float32, ldd int, src []float32, lds int, rows, cols int) {
	rows8, cols8 := rows&^7, cols&^7
	if level == Portable || rows8 == 0 || cols8 == 0 {
		rows8, cols8 = 0, 0
	}
	for i := 0; i < rows8; i += 8 {
		transpose8x8(&dst[i], float32Size*ldd, &src[i*lds], float32Size*lds, cols8/8)
	}
	transposeSlowly(dst, ldd, src, lds, rows, cols, rows8, cols8)
}
