//go:build !purego

package simd

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
	if l == AVX512 {
		run512(rows, vecs, t)
	} else {
		run256(rows, vecs, t)
	}
}
