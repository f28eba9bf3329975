package simd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/simd"
)

// product is one of the three products, with how it stores A and B.
type product struct {
	name           string
	run            func(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool)
	transA, transB bool
}

var products = []product{
	{name: "NN", run: simd.NN},
	{name: "TN", run: simd.TN, transA: true},
	{name: "NT", run: simd.NT, transB: true},
}

// atEveryLevel runs f once for each level of this CPU, portable first.
func atEveryLevel(f func(l simd.Level)) {
	defer simd.Use(simd.Current())
	for _, l := range simd.Levels() {
		if err := simd.Use(l); err != nil {
			panic(err)
		}
		f(l)
	}
}

// gemmMatrix is a view of rows × cols whose slice ends with its last element and
// is surrounded by a sentinel.
type gemmMatrix struct {
	rows, cols, ld int
	whole, view    []float32
}

const sentinel = 12345.678

func newGemmMatrix(rows, cols, gap int, value func() float32) gemmMatrix {
	ld := cols + gap
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*ld + cols
	}
	m := gemmMatrix{rows: rows, cols: cols, ld: ld, whole: make([]float32, n+32)}
	m.view = m.whole[16 : 16+n : 16+n]
	for i := range m.whole {
		m.whole[i] = sentinel
	}
	for i := range rows {
		for j := range cols {
			m.view[i*ld+j] = value()
		}
	}
	return m
}

func (m gemmMatrix) clone() gemmMatrix {
	c := m
	c.whole = append([]float32(nil), m.whole...)
	c.view = c.whole[16 : len(c.whole)-16 : len(c.whole)-16]
	return c
}

// sizes returns the stored sizes of A and B.
func (kd product) sizes(m, n, k int) (ar, ac, br, bc int) {
	ar, ac, br, bc = m, k, k, n
	if kd.transA {
		ar, ac = k, m
	}
	if kd.transB {
		br, bc = n, k
	}
	return
}

// at returns the factors that step p multiplies for C[i, j].
func (kd product) at(a, b gemmMatrix, i, j, p int) (x, y float32) {
	ai, bi := i*a.ld+p, p*b.ld+j
	if kd.transA {
		ai = p*a.ld + i
	}
	if kd.transB {
		bi = j*b.ld + p
	}
	return a.view[ai], b.view[bi]
}

// chain is the definition: one fused multiply-add after the other, k ascending.
func (kd product) chain(a, b, c gemmMatrix, k int, accumulate bool) {
	for i := range c.rows {
		for j := range c.cols {
			var s float32
			if accumulate {
				s = c.view[i*c.ld+j]
			}
			for p := range k {
				x, y := kd.at(a, b, i, j, p)
				s = simd.FMA(x, y, s)
			}
			c.view[i*c.ld+j] = s
		}
	}
}

// requireSameMemory compares all of the memory, sentinels included. A NaN equals a NaN.
func requireSameMemory(t require.TestingT, want, got []float32, what func() string) {
	for i := range want {
		if math.Float32bits(want[i]) != math.Float32bits(got[i]) && (want[i] == want[i] || got[i] == got[i]) {
			require.Failf(t, "bits differ", "%s: element %d: %g (%08x), want %g (%08x)", what(), i-16,
				got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

func requireDefinition(t require.TestingT, kd product, m, n, k, gap int, accumulate bool, value func() float32) {
	ar, ac, br, bc := kd.sizes(m, n, k)
	a, b := newGemmMatrix(ar, ac, gap, value), newGemmMatrix(br, bc, gap, value)
	c := newGemmMatrix(m, n, gap, value)
	want := c.clone()
	kd.chain(a, b, want, k, accumulate)
	atEveryLevel(func(l simd.Level) {
		got := c.clone()
		kd.run(m, n, k, a.view, a.ld, b.view, b.ld, got.view, got.ld, accumulate)
		requireSameMemory(t, want.whole, got.whole, func() string {
			return fmt.Sprintf("%s %v m=%d n=%d k=%d gap=%d accumulate=%v", kd.name, l, m, n, k, gap, accumulate)
		})
	})
}

func normalValues(r *rand.Rand) func() float32 {
	return func() float32 { return float32(r.NormFloat64()) }
}

// specialValues yields ordinary numbers among zeros, subnormals, huge and tiny ones,
// infinities and NaN.
func specialValues(r *rand.Rand) func() float32 {
	odd := []float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, -1e-45, 1e-40, -3e-39,
		1.1754944e-38, 1e-20, -1e-22, 1e19, -2e19, math.MaxFloat32, 1, -1, 0.5}
	return func() float32 {
		switch u := r.IntN(1000); {
		case u < 2:
			return float32(math.Inf(1 - 2*u))
		case u < 3:
			return float32(math.NaN())
		case u < 500:
			return odd[r.IntN(len(odd))]
		default:
			return math.Float32frombits(r.Uint32()&^(1<<30) | 1<<29)
		}
	}
}

// tiedValues yields numbers whose products and sums often lie half way between two
// float32, or so little beside it that float64 does not see the difference.
func tiedValues(r *rand.Rand) func() float32 {
	const ulp = 0x1p-23
	values := []float32{0, 1, 1 + ulp, 0x1p-12, 0x1p-12 * (1 + ulp), 0x1p-12 * (1 - ulp), 0x1p-24, 1 + 3*ulp, 0x1p-24 * (1 + ulp)}
	return func() float32 {
		v := values[r.IntN(len(values))]
		if r.IntN(2) == 0 {
			v = -v
		}
		return v
	}
}

func TestGemmIsTheChainAtEverySize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	awkward := []int{0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 50, 63, 64, 65, 67}
	for _, kd := range products {
		t.Run(kd.name, func(t *testing.T) {
			for m := range 68 { // every m, n and k in turn beside awkward others: a third of these unless there is time
				for i, n := range awkward {
					if (i+m)%3 > 0 && !whole() {
						continue
					}
					k := r.IntN(20)
					requireDefinition(t, kd, m, n, k, r.IntN(3), r.IntN(2) == 0, normalValues(r))
					requireDefinition(t, kd, n, m, k, r.IntN(3), r.IntN(2) == 0, normalValues(r))
					requireDefinition(t, kd, r.IntN(20), n, m, r.IntN(3), r.IntN(2) == 0, normalValues(r))
				}
			}
		})
	}
}

func TestGemmIsTheChainForWideLongAndSpecial(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sizes := [][3]int{ // m, n, k
		{1, 200, 50}, {2, 200, 50}, {3, 256, 50}, {4, 208, 50}, {5, 200, 50}, {6, 200, 50}, {7, 209, 33},
		{1, 431, 7}, {2, 431, 7}, {3, 301, 7}, {16, 50, 200}, {8, 50, 200}, {100, 50, 50}, {97, 34, 64},
		{5, 20, 255}, {5, 20, 256}, {5, 20, 257}, {13, 33, 600}, {50, 66, 513}, {1, 1, 1000},
	}
	for _, kd := range products {
		t.Run(kd.name, func(t *testing.T) {
			for _, s := range sizes {
				requireDefinition(t, kd, s[0], s[1], s[2], 0, false, normalValues(r))
				requireDefinition(t, kd, s[0], s[1], s[2], 5, true, normalValues(r))
				requireDefinition(t, kd, s[0], s[1], s[2], 1, true, specialValues(r))
				requireDefinition(t, kd, s[0], s[1], s[2], 2, true, tiedValues(r))
			}
		})
	}
}

func TestGemmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kd := rapid.SampledFrom(products).Draw(t, "product")
		size := rapid.IntRange(0, 70)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		value := rapid.SampledFrom([]func(*rand.Rand) func() float32{normalValues, specialValues, tiedValues}).Draw(t, "values")(r)
		requireDefinition(t, kd, size.Draw(t, "m"), size.Draw(t, "n"), size.Draw(t, "k"),
			rapid.IntRange(0, 20).Draw(t, "gap"), rapid.Bool().Draw(t, "accumulate"), value)
	})
}

// Against float64: an error of one ulp a step at most, in all much less.
func TestGemmIsAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const m, n, k = 37, 70, 300
	for _, kd := range products {
		ar, ac, br, bc := kd.sizes(m, n, k)
		a, b, c := newGemmMatrix(ar, ac, 0, normalValues(r)), newGemmMatrix(br, bc, 0, normalValues(r)), newGemmMatrix(m, n, 0, normalValues(r))
		atEveryLevel(func(l simd.Level) {
			kd.run(m, n, k, a.view, a.ld, b.view, b.ld, c.view, c.ld, false)
			for i := range m {
				for j := range n {
					var want, size float64
					for p := range k {
						x, y := kd.at(a, b, i, j, p)
						want += float64(x) * float64(y)
						size += math.Abs(float64(x) * float64(y))
					}
					require.InDelta(t, want, c.view[i*n+j], size*k*0x1p-24, "%s %v [%d, %d]", kd.name, l, i, j)
				}
			}
		})
	}
}

func TestGemmPanicsOnShortSlices(t *testing.T) {
	x := make([]float32, 12)
	for _, kd := range products {
		require.NotPanics(t, func() { kd.run(2, 3, 0, nil, 3, nil, 3, x, 9, false) })
		require.Panics(t, func() { kd.run(2, 3, 0, nil, 3, nil, 3, x, 10, false) })
		require.Panics(t, func() { kd.run(3, 3, 5, x, 5, x, 5, x, 3, false) })
		require.Panics(t, func() { kd.run(-1, 3, 3, x, 3, x, 3, x, 3, false) })
		require.Panics(t, func() { kd.run(3, 3, 3, x, 2, x, 3, x, 3, false) })
		require.Panics(t, func() { kd.run(1<<40, 1, 1, x, 1<<40, x, 1<<40, x, 1<<40, false) })
	}
}

func TestGemmAllocatesNothing(t *testing.T) {
	a, b, c := make([]float32, 50*300), make([]float32, 50*300), make([]float32, 300*300)
	for _, kd := range products {
		atEveryLevel(func(l simd.Level) {
			for _, m := range []int{1, 13, 300} {
				f := func() { kd.run(m, 50, 50, a, 50, b, 50, c, 50, true) }
				if kd.transA {
					f = func() { kd.run(m, 50, 50, a, 300, b, 50, c, 50, true) }
				}
				require.Zero(t, testing.AllocsPerRun(20, f), "%s %v m=%d", kd.name, l, m)
			}
		})
	}
}
