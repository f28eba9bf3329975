//go:build arm64 || riscv64

package simd

// fma returns x·y + z rounded once.
//
// The language lets a compiler fuse a product with the sum that it feeds, and on these
// processors Go's always does: its rules for FADDS of an FMULS (ARM64.rules and
// RISCV64.rules in cmd/compile/internal/ssa) have no condition. The conversion keeps
// z, should it be a product itself, from being the one that is fused. The tests compare
// every bit with the definition.
func fma(x, y, z float32) float32 { return x*y + float32(z) }
