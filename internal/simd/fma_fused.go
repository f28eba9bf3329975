//go:build arm64 || riscv64

package simd

// fma returns x·y + z rounded once.
//
// The language allows a compiler to fuse a product with the sum it is used in, and on these
// processors Go's compiler always does: its rules for FADDS of an FMULS (ARM64.rules and
// RISCV64.rules in cmd/compile/internal/ssa) have no condition. If z is a product itself, the
// conversion prevents fusing z instead. The tests compare
// every bit with the definition.
func fma(x, y, z float32) float32 { return x*y + float32(z) }
