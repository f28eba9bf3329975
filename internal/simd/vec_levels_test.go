package simd_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// env gives a kernel its operands and collects what it computes. Operands are
// the same at every level.
type env struct {
	rng  *rand.Rand
	kind int
	make func(n int) []float32 // nil: plain slices with canaries around them
	all  [][]float32
	out  []uint64
}

// Kinds of operands.
const (
	plain   = iota // standard normal
	special        // and zeros, subnormals, the smallest and the largest numbers
	wild           // and NaN and infinities
	kinds
)

var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 1e-45, -1e-45, 1e-39, 1.1754944e-38, 2e-30, -3e-25,
	88.72283, 88.72284, -87.33655, -103.97208, -103.97209, 0.54930615, -9.01, 1e10, -3e20, 3.4028235e38,
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
}

const canary = 12345.678

// vec returns an operand of n elements.
func (e *env) vec(n int) []float32 {
	var s []float32
	if e.make != nil {
		s = e.make(n)
	} else {
		whole := make([]float32, n+32)
		for i := range whole {
			whole[i] = canary
		}
		e.all = append(e.all, whole)
		s = whole[16 : 16+n : 16+n]
	}
	for i := range s {
		s[i] = e.number()
		if e.kind > plain && e.rng.IntN(6) == 0 {
			k := len(specials)
			if e.kind == special {
				k -= 3
			}
			s[i] = specials[e.rng.IntN(k)]
		}
	}
	return s
}

// number is uniform in [−2, 2) and made without package math, whose bits would
// differ by CPU.
func (e *env) number() float32 { return float32(e.rng.Uint32()>>8)*0x1p-22 - 2 }

func (e *env) result(v float64) { e.out = append(e.out, canonical(math.Float64bits(v), v != v)) }

// canonical makes all NaN equal: their payload is not promised.
func canonical(bits uint64, nan bool) uint64 {
	if nan {
		return math.MaxUint64
	}
	return bits
}

func (e *env) bits() []uint64 {
	for _, s := range e.all {
		for _, v := range s {
			e.out = append(e.out, canonical(uint64(math.Float32bits(v)), v != v))
		}
	}
	return e.out
}

// kernels are called with every n of interest: lengths, and widths of rows.
var kernels = map[string]func(e *env, n int){
	"Exp":     func(e *env, n int) { simd.Exp(e.vec(n), e.scaled(n, 40)) },
	"Log":     func(e *env, n int) { simd.Log(e.vec(n), e.vec(n)) },
	"Sigmoid": func(e *env, n int) { simd.Sigmoid(e.vec(n), e.scaled(n, 20)) },
	"Tanh":    func(e *env, n int) { simd.Tanh(e.vec(n), e.vec(n)) },

	"Dot":        func(e *env, n int) { e.result(float64(simd.Dot(e.vec(n), e.vec(n)))) },
	"Sum":        func(e *env, n int) { e.result(float64(simd.Sum(e.vec(n)))) },
	"Max":        func(e *env, n int) { e.result(float64(simd.Max(e.vec(n)))) },
	"SumSquares": func(e *env, n int) { e.result(simd.SumSquares(e.vec(n))) },
	"SoftmaxLSE": func(e *env, n int) { e.result(float64(simd.SoftmaxLSE(e.vec(n), e.scaled(n, 5)))) },
	"SoftmaxLSE in place": func(e *env, n int) {
		s := e.scaled(n, 5)
		e.result(float64(simd.SoftmaxLSE(s, s)))
	},

	"DotRows": func(e *env, n int) {
		rows := n%19 + n%2
		simd.DotRows(e.vec(rows), e.vec(max(0, (rows-1)*(n+3)+n)), n+3, n, e.vec(n))
	},
	"ColumnSums": func(e *env, n int) {
		rows := n % 7
		x := e.vec(max(0, (rows-1)*(n+5)+n))
		simd.ColumnSums(e.vec(n), x, rows, n+5, n, n%2 == 0)
	},
	"AddBias": func(e *env, n int) {
		rows := n % 5
		simd.AddBias(e.vec(rows*n), rows, n, n, e.vec(n))
	},

	"Axpy":     func(e *env, n int) { simd.Axpy(e.vec(n), e.number(), e.vec(n)) },
	"Add":      func(e *env, n int) { simd.Add(e.vec(n), e.vec(n)) },
	"Mul":      func(e *env, n int) { simd.Mul(e.vec(n), e.vec(n), e.vec(n)) },
	"Scale":    func(e *env, n int) { simd.Scale(e.vec(n), e.number()) },
	"Fill":     func(e *env, n int) { simd.Fill(e.vec(n), 3) },
	"ReLU":     func(e *env, n int) { simd.ReLU(e.vec(n), e.vec(n)) },
	"ReLUGrad": func(e *env, n int) { simd.ReLUGrad(e.vec(n), e.vec(n), e.vec(n)) },

	"LSTMForward": func(e *env, n int) {
		rows := 1 + n%6
		simd.LSTMForward(e.vec(4*n*rows), rows, n, e.vec(n*rows), e.vec(n*rows), e.vec(n*rows))
	},
	"LSTMForward first": func(e *env, n int) {
		rows := 1 + n%6
		simd.LSTMForward(e.vec(4*n*rows), rows, n, nil, e.vec(n*rows), e.vec(n*rows))
	},
	"LSTMForward in place": func(e *env, n int) {
		rows := 1 + n%6
		c := e.vec(n * rows)
		simd.LSTMForward(e.vec(4*n*rows), rows, n, c, c, e.vec(n*rows))
	},
	"LSTMBackward": func(e *env, n int) {
		rows := 1 + n%6
		simd.LSTMBackward(e.vec(4*n*rows), rows, n, e.vec(n*rows), e.vec(n*rows), e.vec(n*rows), e.vec(n*rows), e.vec(4*n*rows))
	},
	"LSTMBackward first, in place": func(e *env, n int) {
		rows := 1 + n%6
		z := e.vec(4 * n * rows)
		simd.LSTMBackward(z, rows, n, nil, e.vec(n*rows), e.vec(n*rows), e.vec(n*rows), z)
	},

	"SGDStep":          func(e *env, n int) { simd.SGDStep(e.vec(n), e.vec(n), nil, 0.1, 0, 0.01) },
	"SGDStep momentum": func(e *env, n int) { simd.SGDStep(e.vec(n), e.vec(n), e.vec(n), 0.1, 0.9, 0.01) },
	"AdamStep": func(e *env, n int) {
		w, g, m, v := e.vec(n), e.vec(n), e.vec(n), e.vec(n)
		for i := range v {
			v[i] *= v[i]
		}
		simd.AdamStep(w, g, m, v, simd.AdamParams{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, StepSize: 0.01,
			SqrtBias2: 0.3, WeightDecay: 0.02, Decoupled: 0.003})
	},

	"Dropout": func(e *env, n int) {
		simd.Dropout(e.vec(n), e.vec(n), simd.Key(uint64(n), "dropout"), 0.3)
	},
	"Uniform": func(e *env, n int) { simd.Uniform(e.vec(n), 7, -1, 2) },
	"Normal":  func(e *env, n int) { simd.Normal(e.vec(n), 7, 1, 2) },
}

// scaled is vec for arguments over a wider range.
func (e *env) scaled(n int, by float32) []float32 {
	s := e.vec(n)
	for i := range s {
		s[i] *= by
	}
	return s
}

// lengths are those at which tails, blocks and unrolled loops begin and end.
func lengths() []int {
	var ns []int
	for n := range 131 {
		ns = append(ns, n)
	}
	return append(ns, 191, 200, 255, 256, 257, 1000)
}

// useLevel runs a test at one level and restores the best one afterwards.
func useLevel(t testing.TB, l simd.Level) {
	t.Helper()
	require.NoError(t, simd.Use(l))
	t.Cleanup(func() { _ = simd.Use(simd.Best()) })
}

// TestLevelsGiveTheSameBits also finds writes outside an operand: its surroundings
// are compared too.
func TestLevelsGiveTheSameBits(t *testing.T) {
	for name, run := range kernels {
		t.Run(name, func(t *testing.T) {
			for _, n := range lengths() {
				for kind := range kinds {
					var want []uint64
					for l := simd.Portable; l <= simd.Best(); l++ {
						useLevel(t, l)
						e := &env{rng: rand.New(rand.NewPCG(uint64(n), uint64(kind))), kind: kind}
						run(e, n)
						got := e.bits()
						if l == simd.Portable {
							want = got
							continue
						}
						require.Equal(t, want, got, "%v, n = %d, kind %d", l, n, kind)
					}
				}
			}
		})
	}
}

// TestBitsArePinned compares all kernels with the bits of the CPU on which they
// were written: on other CPUs, with other compilers, with purego.
func TestBitsArePinned(t *testing.T) {
	names := slices.Sorted(maps.Keys(kernels))
	h := fnv.New64a()
	for _, name := range names {
		for _, n := range lengths() {
			for kind := range kinds {
				e := &env{rng: rand.New(rand.NewPCG(uint64(n), uint64(kind))), kind: kind}
				kernels[name](e, n)
				for _, b := range e.bits() {
					h.Write(binary.LittleEndian.AppendUint64(nil, b))
				}
			}
		}
	}
	require.Equal(t, uint64(0x97e6fc2d2d33befb), h.Sum64())
}

// A kernel is called hundreds of thousands of times a second: no garbage.
func TestKernelsDoNotAllocate(t *testing.T) {
	x, y := make([]float32, 200), make([]float32, 200)
	for l := simd.Portable; l <= simd.Best(); l++ {
		useLevel(t, l)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			simd.SoftmaxLSE(x[:50], y[:50])
			simd.LSTMForward(x, 1, 50, nil, y[:50], y[50:100])
			simd.LSTMBackward(x, 1, 50, nil, y[:50], y[50:100], y[100:150], x)
			simd.AdamStep(x[:50], y[:50], x[50:100], y[50:100], simd.AdamParams{SqrtBias2: 1, Eps: 1})
			simd.Dropout(x, y, 1, 0.5)
			simd.DotRows(y[:4], x, 50, 50, y[50:100])
			simd.Max(x)
		}), "%v", l)
	}
}

// TestCanaries checks the portable code, with which the others are compared.
func TestCanaries(t *testing.T) {
	useLevel(t, simd.Portable)
	for name, run := range kernels {
		for _, n := range []int{0, 1, 15, 16, 50, 67} {
			e := &env{rng: rand.New(rand.NewPCG(1, 2))}
			run(e, n)
			for _, s := range e.all {
				for i := range 16 {
					require.EqualValues(t, float32(canary), s[i], "%s, n = %d", name, n)
					require.EqualValues(t, float32(canary), s[len(s)-1-i], "%s, n = %d", name, n)
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
		for l := simd.Portable + 1; l <= simd.Best(); l++ {
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
