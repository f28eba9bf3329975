//go:build arm64 && !purego

package simd

// detect need not look: every arm64 that Go runs on has NEON.
func detect() []Level { return []Level{Portable, NEON} }
