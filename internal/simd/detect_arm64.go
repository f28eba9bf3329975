//go:build arm64 && !purego

package simd

// detect has nothing to check: every arm64 that Go runs on has NEON.
func detect() []Level { return []Level{Portable, NEON} }
