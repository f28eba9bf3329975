//go:build !purego

package simd

import "golang.org/x/sys/cpu"

func (p *product) multiply() {
	switch level {
	case AVX512:
		p.tiled(AVX512, 4, most512[:])
	case AVX2:
		p.tiled(AVX2, 3, most256[:])
	default:
		p.portable()
	}
}

func (t *tile) run(l Level, rows, vecs int) {
	switch {
	case l == AVX2:
		gemm256(t, rows<<4|vecs)
	case rows >= 7 && vecs == 2 && t.tail == 16:
		gemm512(t, rows<<4) // without a mask
	default:
		gemm512(t, rows<<4|vecs)
	}
}

func detect() []Level {
	x := &cpu.X86
	switch {
	case x.HasAVX2 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasFMA:
		return []Level{Portable, AVX2, AVX512}
	case x.HasAVX2 && x.HasFMA:
		return []Level{Portable, AVX2}
	}
	return []Level{Portable}
}
