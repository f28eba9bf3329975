//go:build !(amd64 || arm64) || purego

package simd

func (p *product) multiply() { p.portable() }
