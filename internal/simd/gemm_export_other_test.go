//go:build !(amd64 || arm64) || purego

package simd

// HardwareFMA reports that this build has no vector instruction to compare with.
func HardwareFMA(dst, x, y, z []float32) bool { return false }
