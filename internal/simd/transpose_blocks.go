//go:build (amd64 || arm64) && !purego

package simd

// blocks transposes in blocks of 8 × 8 in registers. The last one of a row or column
// overlaps the previous one and writes the same values again: element by element, the
// two remaining columns of a head of 10 would take longer than the eight.
func blocks(dst []float32, ldd int, src []float32, lds int, rows, cols int) {
	if level == Portable || rows < 8 || cols < 8 {
		transposeSlowly(dst, ldd, src, lds, rows, cols)
		return
	}
	for i := 0; i < rows; i += 8 {
		i = min(i, rows-8)
		transpose8x8(&dst[i], float32Size*ldd, &src[i*lds], float32Size*lds, cols/8)
		if cols%8 > 0 {
			j := cols - 8
			transpose8x8(&dst[j*ldd+i], float32Size*ldd, &src[i*lds+j], float32Size*lds, 1)
		}
	}
}
