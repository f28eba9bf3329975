//go:build !amd64 || purego

package simd

func (p *product) multiply() { p.portable() }
