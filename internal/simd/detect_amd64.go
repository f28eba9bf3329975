//go:build amd64 && !purego

package simd

import "golang.org/x/sys/cpu"

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
