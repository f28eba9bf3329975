// Package selftest runs every kernel on chosen and random operands and compares the
// bits of all levels. The tests of package simd and exp doctor share it, so a compiler
// or a CPU that gives different bits is found on the machine
// where it is used.
package selftest

import (
	"math"
	"math/rand/v2"
)

// Operands provides a kernel's operands and collects its results. The operands are
// the same at every level.
type Operands struct {
	Rand *rand.Rand
	Kind Kind
	Make func(n int) []float32 // nil: plain slices with canaries around them

	all [][]float32
	out []uint64
}

// Kind is a kind of operands.
type Kind int

// The kinds.
const (
	Plain   Kind = iota // uniform numbers
	Special             // and zeros, subnormals, the smallest and the largest numbers
	Wild                // and NaN and infinities
	Kinds               // the number of kinds
)

func (k Kind) String() string {
	if k < Plain || k >= Kinds {
		return "unknown"
	}
	return [...]string{"plain", "special", "wild"}[k]
}

var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 1e-45, -1e-45, 1e-39, 1.1754944e-38, 2e-30, -3e-25,
	88.72283, 88.72284, -87.33655, -103.97208, -103.97209, 0.54930615, -9.01, 1e10, -3e20, 3.4028235e38,
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
}

// Canary is the value before and after each operand, Around times.
const (
	Canary = 12345.678
	Around = 16
)

// New returns the operands of one case; equal arguments give equal operands.
func New(seed uint64, kind Kind) *Operands {
	return &Operands{Rand: rand.New(rand.NewPCG(seed, uint64(kind))), Kind: kind}
}

// Vec returns an operand of n elements.
func (e *Operands) Vec(n int) []float32 {
	var s []float32
	if e.Make != nil {
		s = e.Make(n)
	} else {
		whole := make([]float32, n+2*Around)
		for i := range whole {
			whole[i] = Canary
		}
		e.all = append(e.all, whole)
		s = whole[Around : Around+n : Around+n]
	}
	for i := range s {
		s[i] = e.Number()
		if e.Kind > Plain && e.Rand.IntN(6) == 0 {
			k := len(specials)
			if e.Kind == Special {
				k -= 3
			}
			s[i] = specials[e.Rand.IntN(k)]
		}
	}
	return s
}

// Scaled is Vec for arguments over a wider range.
func (e *Operands) Scaled(n int, by float32) []float32 {
	s := e.Vec(n)
	for i := range s {
		s[i] *= by
	}
	return s
}

// Tile returns a number of rows and a distance between them, and a function that
// makes a tile of n columns of that shape.
func (e *Operands) Tile(n int) (rows, ld int, make func() []float32) {
	rows, ld = n%6+n%2, n+3
	return rows, ld, func() []float32 { return e.Scaled(max(0, (rows-1)*ld+n), 8) }
}

// Keys returns the keys of a dropped-out tile.
func (e *Operands) Keys(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = e.Rand.Uint32()
	}
	return out
}

// Number is uniform in [−2, 2). It does not use package math, whose bits
// differ by CPU.
func (e *Operands) Number() float32 { return float32(e.Rand.Uint32()>>8)*0x1p-22 - 2 }

// Result keeps a number that a kernel returned.
func (e *Operands) Result(v float64) { e.out = append(e.out, canonical(math.Float64bits(v), v != v)) }

// canonical makes all NaN equal, because their payload is not defined.
func canonical(bits uint64, nan bool) uint64 {
	if nan {
		return math.MaxUint64
	}
	return bits
}

// Bits returns the complete state after the call: results, operands and their
// surroundings.
func (e *Operands) Bits() []uint64 {
	for _, s := range e.all {
		for _, v := range s {
			e.out = append(e.out, canonical(uint64(math.Float32bits(v)), v != v))
		}
	}
	return e.out
}

// Memory returns the operands with their surroundings.
func (e *Operands) Memory() [][]float32 { return e.all }
