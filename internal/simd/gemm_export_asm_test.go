//go:build (amd64 || arm64) && !purego

package simd

// HardwareFMA sets dst[i] = x[i]·y[i] + z[i] with the CPU's instruction, for a
// multiple of eight elements, and reports whether there is one.
func HardwareFMA(dst, x, y, z []float32) bool {
	if Best() == Portable {
		return false
	}
	fma8(&dst[0], &x[0], &y[0], &z[0], len(dst)/8)
	return true
}
