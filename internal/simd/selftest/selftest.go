package selftest

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
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
