// Package simd holds the float32 kernels under every op: matrix products,
// elementary functions, softmax, LSTM gates and optimiser steps.
//
// Each kernel exists as portable Go and as generated assembly (see gen/): AVX2 and
// AVX-512 on amd64, NEON on arm64. All of them give the same bits:
//
//   - a product that feeds a sum is a fused multiply-add, rounded once;
//   - an element of a matrix product is one chain of them, k ascending;
//   - a reduction runs over 16 virtual lanes, element i in lane i mod 16,
//     which are added by one fixed tree (lane l with l+8, then l+4, l+2, l+1);
//   - there are no approximate reciprocals and no calls into package math
//     except to functions that IEEE 754 defines exactly (Sqrt, Float32bits).
//
// Slices of the wrong size make a kernel panic, like an index out of range:
// otherwise assembly would write outside of them. Goroutines that call kernels must
// recover, as ops.Pool does; cmd/exp does so for the rest.
package simd

import (
	"fmt"
	"slices"
	"strings"
)

// Level is a set of vector instructions.
type Level int

// The levels.
const (
	Portable Level = iota // plain Go, every platform
	AVX2                  // amd64: 8 lanes, with FMA
	AVX512                // amd64: 16 lanes, F, BW, DQ and VL
	NEON                  // arm64: 4 lanes
)

var names = [...]string{Portable: "portable", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}

// String returns the name that ParseLevel reads.
func (l Level) String() string {
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return names[l]
}

// ParseLevel reads a level's name; "auto" and "" mean the best one here.
func ParseLevel(name string) (Level, error) {
	if name == "" || name == "auto" {
		return Best(), nil
	}
	for l, n := range names {
		if n == name {
			return Level(l), nil
		}
	}
	return 0, fmt.Errorf("unknown SIMD level %q: use auto, avx512, avx2, neon or portable", name)
}

var (
	levels = detect()
	level  = Best()
)

// Levels returns the levels that this CPU and this build support, slowest first.
func Levels() []Level { return slices.Clone(levels) }

// Best returns the fastest of Levels.
func Best() Level { return levels[len(levels)-1] }

// Current returns the level in use.
func Current() Level { return level }

// Use selects the level for the whole process. It is not safe to call while
// kernels run. A level that the CPU or the build lacks is an error.
func Use(l Level) error {
	if !slices.Contains(levels, l) {
		var have []string
		for _, l := range slices.Backward(levels) {
			have = append(have, l.String())
		}
		return fmt.Errorf("SIMD level %v is not available here: there is %s", l, strings.Join(have, ", "))
	}
	level = l
	return nil
}
