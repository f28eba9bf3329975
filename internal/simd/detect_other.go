//go:build !(amd64 || arm64) || purego

package simd

func detect() []Level { return []Level{Portable} }
