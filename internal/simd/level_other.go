//go:build !(amd64 || arm64) || purego

package simd

func (p *product) multiply() { p.portable() }

func detect() []Level { return []Level{Portable} }

func blocks(dst []float32, ldd int, src []float32, lds int, rows, cols int) {
	transposeSlowly(dst, ldd, src, lds, rows, cols)
}

// none is the panic of every kernel in assembly.
const none = "simd: no assembly in this build"
