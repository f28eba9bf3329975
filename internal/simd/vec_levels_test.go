package simd_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
	"imdbexp/internal/simd/selftest"
	"imdbexp/internal/testkit/must"
)

// useLevel runs a test at one level and restores the best one afterwards.
func useLevel(t testing.TB, l simd.Level) {
	t.Helper()
	require.NoError(t, simd.Use(l))
	t.Cleanup(func() { _ = simd.Use(simd.Best()) })
}

// TestLevelsGiveTheSameBits also finds writes outside an operand: its surroundings
// are compared too. The bits of all kernels are those of the CPU on which they were
// written: on other CPUs, with other compilers, with purego. With EXP_CI=1 their hash is
// selftest.Hash(lengths()). Otherwise each length has only one of the two odd kinds of operands; TestRun has both.
func TestLevelsGiveTheSameBits(t *testing.T) {
	defer simd.Use(simd.Best())
	all, hashed := fnv.New64a(), 0
	for _, name := range slices.Sorted(maps.Keys(selftest.Kernels)) {
		t.Run(name, func(t *testing.T) {
			for _, n := range lengths() {
				for kind := range selftest.Kinds {
					if !whole() && kind != selftest.Plain && int(kind)%2 == n%2 {
						continue
					}
					var want []uint64
					for _, l := range simd.Levels() {
						require.NoError(t, simd.Use(l))
						e := selftest.New(uint64(n), kind)
						selftest.Kernels[name](e, n)
						got := e.Bits()
						if l == simd.Portable {
							want = got
							continue
						}
						if !slices.Equal(want, got) { // require.Equal takes a quarter of the time
							require.Equal(t, want, got, "%v, n = %d, kind %d", l, n, kind)
						}
					}
					var b []byte
					for _, bits := range want {
						b = binary.LittleEndian.AppendUint64(b, bits)
					}
					all.Write(b)
				}
			}
			hashed++
		})
	}
	if hashed == len(selftest.Kernels) { // not where -run has chosen some
		pinned := uint64(0x5c069c5f28e4be1d)
		if whole() {
			pinned = 0x37959404a4cf7cd6
		}
		require.Equal(t, pinned, all.Sum64())
	}
}

// A kernel is called hundreds of thousands of times a second: no garbage.
func TestKernelsDoNotAllocate(t *testing.T) {
	x, y, m, keys := make([]float32, 400), make([]float32, 400), make([]float32, 20), make([]uint32, 20)
	for _, l := range simd.Levels() {
		useLevel(t, l)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			simd.SoftmaxLSE(x[:50], y[:50])
			simd.LSTMForward(x[:200], 1, 50, nil, y[:50], y[50:100])
			simd.LSTMBackward(x[:200], 1, 50, nil, y[:50], y[50:100], y[100:150], x[:200])
			simd.GRUForward(x[:200], 1, 50, y[:50], y[:50])
			simd.GRUBackward(x[:200], 1, 50, y[:50], y[:50], x[:200])
			simd.AdamStep(x[:50], y[:50], x[50:100], y[50:100], simd.AdamParams{SqrtBias2: 1, Eps: 1})
			simd.Dropout(x, y, 1, 0.5)
			simd.DotRows(y[:4], x, 50, 50, y[50:100])
			simd.Max(x)
			simd.ColumnMax(m, x, 20, 20, 20)
			simd.SoftmaxGradRows(x, y, 20, 20, 20, 1, m, m, 0)
			simd.DropoutGrid(x, 20, 20, 20, keys, keys, 0.1)
			simd.Transpose(y, 20, x, 20, 20, 20)
			simd.SegmentSums(y[:100], x[:200], 50, []int32{3, 1, 0}, []int32{0, 1, 3})
			simd.AdamRows(x[:200], y[:50], x[:200], y[:200], 50, []int32{2}, adamParams)
			simd.GatherRows(y, 50, x[:200], 50, []int32{3, 1, 0}, []int32{2})
			simd.GatherAddRows(y, 50, x[:200], 50, []int32{3, 1, 0}, nil)
		}), "%v", l)
	}
}

// TestCanaries checks the portable code, with which the others are compared.
func TestCanaries(t *testing.T) {
	useLevel(t, simd.Portable)
	for name, run := range selftest.Kernels {
		for _, n := range []int{0, 1, 15, 16, 50, 67} {
			e := selftest.New(1, selftest.Wild)
			run(e, n)
			for _, s := range e.Memory() {
				for i := range selftest.Around {
					require.EqualValues(t, float32(selftest.Canary), s[i], "%s, n = %d", name, n)
					require.EqualValues(t, float32(selftest.Canary), s[len(s)-1-i], "%s, n = %d", name, n)
				}
			}
		}
	}
}

func TestVectorsEqualScalars(t *testing.T) {
	scalars := map[string]struct {
		vector func(dst, x []float32)
		scalar func(float32) float32
	}{
		"exp":     {simd.Exp, simd.Exp1},
		"log":     {simd.Log, simd.Log1},
		"sigmoid": {simd.Sigmoid, simd.Sigmoid1},
		"tanh":    {simd.Tanh, simd.Tanh1},
	}
	step := uint64(65521) // a prime, so that all exponents and many mantissas occur
	if long() {
		step = 257
	}
	for name, f := range scalars {
		for _, l := range simd.Levels()[1:] {
			t.Run(fmt.Sprint(name, " ", l), func(t *testing.T) {
				useLevel(t, l)
				x, got := make([]float32, 0, 1024), make([]float32, 1024)
				for b := uint64(0); b < 1<<32; b += step {
					x = append(x, math.Float32frombits(uint32(b)))
					if len(x) < cap(x) && b+step < 1<<32 {
						continue
					}
					f.vector(got[:len(x)], x)
					for i, v := range x {
						want := f.scalar(v)
						if math.Float32bits(want) != math.Float32bits(got[i]) && (want == want || got[i] == got[i]) {
							t.Fatalf("%s(%g) = %g, want %g", name, v, got[i], want)
						}
					}
					x = x[:0]
				}
			})
		}
	}
}

func TestRun(t *testing.T) {
	start := time.Now()
	n := must.Get(selftest.Run(100 * time.Millisecond))(t)
	require.Greater(t, n, len(selftest.Kernels)*15*int(selftest.Kinds), "random ones too")
	require.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond)
}

// A kernel that is not the same at every level is found and named.
func TestDifferenceIsFound(t *testing.T) {
	if simd.Best() == simd.Portable {
		t.Skip("there is one level here")
	}
	selftest.Kernels["broken"] = func(e *selftest.Operands, n int) {
		x := e.Vec(n)
		if simd.Current() != simd.Portable && n > 15 {
			x[n-1]++
		}
	}
	defer delete(selftest.Kernels, "broken")
	var d *selftest.Difference
	_, err := selftest.Run(0)
	require.ErrorAs(t, err, &d)
	require.Equal(t, "broken", d.Kernel)
	require.Equal(t, 16, d.N)
	require.ErrorContains(t, err, fmt.Sprintf("broken at level %v differs from portable Go: length 16, plain operands, seed 16", simd.Levels()[1]))
}

// A kernel that is wrong at every level is found by the pinned bits.
func TestPinnedBits(t *testing.T) {
	right := selftest.Kernels["Add"]
	selftest.Kernels["Add"] = func(e *selftest.Operands, n int) { simd.Mul(e.Vec(n), e.Vec(n), e.Vec(n)) }
	defer func() { selftest.Kernels["Add"] = right }()
	require.ErrorContains(t, must.Fail(selftest.Run(0)), "agree with each other but not with the bits that they had")
}

// The operands of a case are what the seed says, whatever ran before.
func TestOperandsRepeat(t *testing.T) {
	for kind := range selftest.Kinds {
		a, b := selftest.New(7, kind), selftest.New(7, kind)
		require.Equal(t, a.Scaled(50, 2), b.Scaled(50, 2)[:50:50])
		require.Equal(t, a.Bits(), b.Bits())
		require.NotEqual(t, a.Bits(), selftest.New(8, kind).Bits())
	}
	require.Equal(t, "wild", selftest.Wild.String())
}

// lengths are the lengths at which tails, blocks and unrolled loops begin and end.
func lengths() []int {
	var ns []int
	for n := range 131 {
		ns = append(ns, n)
	}
	return append(ns, 191, 200, 255, 256, 257, 1000)
}
