// Package selftest runs every kernel on chosen and random operands and compares the
// bits of all levels. The tests of package simd and exp doctor share it, so a compiler
// or a CPU that gives different bits is found on the machine
// where it is used.
package selftest

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"imdbexp/internal/simd"
)

// few are lengths at which tails, blocks and unrolled loops begin and end.
var few = []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 50, 64, 65, 100, 200}

// Pinned is Hash of the lengths of Run on the CPU on which the kernels were written.
const Pinned = 0xb7d00f89186b4a95

// Hash returns the hash of the bits of all kernels at the level in use, at those
// lengths, for all kinds of operands.
func Hash(lengths []int) uint64 {
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(Kernels)) {
		for _, n := range lengths {
			for kind := range Kinds {
				for _, b := range bits(name, n, uint64(n), kind) {
					h.Write(binary.LittleEndian.AppendUint64(nil, b))
				}
			}
		}
	}
	return h.Sum64()
}

func bits(name string, n int, seed uint64, kind Kind) []uint64 {
	e := New(seed, kind)
	Kernels[name](e, n)
	return e.Bits()
}

// Difference is a case for which a level gives other bits than portable Go.
type Difference struct {
	Kernel string
	Level  simd.Level
	N      int
	Kind   Kind
	Seed   uint64
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s at level %v differs from portable Go: length %d, %v operands, seed %d", d.Kernel, d.Level, d.N, d.Kind, d.Seed)
}

// Check runs one case at every level of this CPU and returns the first Difference.
// It restores the level in use. No other kernel may run during the call.
func Check(kernel string, n int, seed uint64, kind Kind) error {
	defer simd.Use(simd.Current())
	var want []uint64
	for _, l := range simd.Levels() {
		if err := simd.Use(l); err != nil {
			return err
		}
		got := bits(kernel, n, seed, kind)
		if l == simd.Portable {
			want = got
		} else if !slices.Equal(want, got) {
			return &Difference{kernel, l, n, kind, seed}
		}
	}
	return nil
}

// Run compares all levels on a few awkward lengths, then at least once and until
// the time is up on random ones, and the bits of portable Go with the pinned ones. It returns
// the number of cases compared and the first that differs.
func Run(d time.Duration) (cases int, err error) {
	end := time.Now().Add(d)
	names := slices.Sorted(maps.Keys(Kernels))
	for _, name := range names {
		for _, n := range few {
			for kind := range Kinds {
				if err := Check(name, n, uint64(n), kind); err != nil {
					return cases, err
				}
				cases++
			}
		}
	}
	if h := Hash(few); h != Pinned {
		return cases, fmt.Errorf("the kernels agree with each other but not with the bits that they had when they were written (%016x, not %016x)", h, uint64(Pinned))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for once := true; once || time.Now().Before(end); once = false {
		if err := Check(names[r.IntN(len(names))], r.IntN(300), r.Uint64(), Kind(r.IntN(int(Kinds)))); err != nil {
			return cases, err
		}
		cases++
	}
	return cases, nil
}

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
