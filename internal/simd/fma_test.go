package simd_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

var fmaTriples = flag.Int("fma.n", 4_000_000, "random triples on which fma is held against the CPU (1e9 with EXP_LONG=1)")

// exactFMA is x·y + z in long arithmetic, rounded once.
func exactFMA(x, y, z float32) float32 {
	b := func(v float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(v)) }
	s := b(x)
	s.Add(s.Mul(s, b(y)), b(z))
	if s.Sign() == 0 { // the sign of zero follows IEEE 754, not package big
		return float32(float64(x)*float64(y) + float64(z))
	}
	r, _ := s.Float32()
	return r
}

func requireFMA(t *testing.T, x, y, z float32) {
	t.Helper()
	want, got := exactFMA(x, y, z), simd.FMA(x, y, z)
	require.Equal(t, math.Float32bits(want), math.Float32bits(got),
		"fma(%x, %x, %x) = %x, want %x", x, y, z, got, want)
}

func TestFMAByHand(t *testing.T) {
	const ulp = 0x1p-23
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	negative0 := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		what          string
		x, y, z, want float32
	}{
		{"just under half way rounds down to odd", 0x1p-12 * (1 + ulp), 0x1p-12 * (1 - ulp), 1 + ulp, 1 + ulp},
		{"just under half way below zero", -0x1p-12 * (1 + ulp), 0x1p-12 * (1 - ulp), -1 - ulp, -1 - ulp},
		{"half way rounds up to even", 0x1p-12, 0x1p-12, 1 + ulp, 1 + 2*ulp},
		{"half way rounds down to even", 0x1p-12, 0x1p-12, 1, 1},
		{"just under half way towards zero", -0x1p-12 * (1 + ulp), 0x1p-12 * (1 - ulp), 1 + 2*ulp, 1 + 2*ulp},
		{"half the smallest number is zero", 0x1p-100, 0x1p-50, 0, 0},
		{"a bit more is the smallest number", 0x1p-100 * (1 + ulp), 0x1p-50, 0, 0x1p-149},
		{"half way among the subnormal", 0x1p-100, 0x1p-50, 0x1p-149, 0x1p-148},
		{"just under half way among the subnormal", 0x1p-100 * (1 - ulp), 0x1p-50 * (1 + ulp), 0x1p-149, 0x1p-149},
		{"the least that overflows", 0x1p64, 0x1p39, math.MaxFloat32, inf},
		{"the most that does not", 0x1p64 * (1 + ulp), 0x1p39 * (1 - ulp), math.MaxFloat32, math.MaxFloat32},
		{"infinity", inf, 2, -5, inf},
		{"an infinite product less infinity", inf, 1, -inf, nan},
		{"zero times infinity", 0, inf, 1, nan},
		{"not a number", nan, 1, 1, nan},
		{"negative zero", -1, 0, negative0, negative0},
		{"opposite zeros", -1, 0, 0, 0},
		{"cancellation", 3, 5, -15, 0},
	} {
		got := simd.FMA(c.x, c.y, c.z)
		if c.want != c.want {
			require.True(t, got != got, c.what)
			continue
		}
		require.Equal(t, math.Float32bits(c.want), math.Float32bits(got), c.what)
	}
	require.Equal(t, uint32(0x3f800001), math.Float32bits(simd.FMA(0x1p-12*(1+ulp), 0x1p-12*(1-ulp), 1+ulp)))
}

// nearTie returns x, y and z such that x·y is half a unit in the last place of
// z, up to about 2⁻³⁰ of it (where float64 takes it for half way) on either side
// or exactly, with z at the given exponent of its last bit.
func nearTie(r *rand.Rand, exponent int) (x, y, z float32) {
	for {
		a := uint64(1<<23 + r.IntN(1<<23))
		b := (1<<46 + a/2) / a
		if off := int64(a*b) - 1<<46; off < -1<<17 || off > 1<<17 {
			continue
		}
		split := exponent/2 + r.IntN(17) - 8
		x = float32(math.Ldexp(float64(a), split-23))
		y = float32(math.Ldexp(float64(b), exponent-24-split))
		z = float32(math.Ldexp(float64(r.IntN(1<<24)), exponent))
		if r.IntN(2) == 0 {
			x = -x
		}
		if r.IntN(2) == 0 {
			z = -z
		}
		return x, y, z
	}
}

func TestFMANearTies(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, exponent := range []int{-149, -148, -140, -126, -125, -100, -23, 0, 60, 103, 104} {
		for range 3000 {
			x, y, z := nearTie(r, exponent)
			requireFMA(t, x, y, z)
		}
	}
	for range 20000 {
		x, y, z := nearTie(r, r.IntN(250)-149)
		requireFMA(t, x, y, z)
	}
}

// Products that lie at or below the smallest subnormal number.
func TestFMATiny(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 50000 {
		x := float32(math.Ldexp(1+r.Float64(), -60-r.IntN(40)))
		y := float32(math.Ldexp(1+r.Float64(), -40-r.IntN(40)))
		z := math.Float32frombits(uint32(r.IntN(1 << (1 + r.IntN(24)))))
		if r.IntN(2) == 0 {
			z = -z
		}
		requireFMA(t, x, y, z)
	}
}

func TestFMAIsTheInstruction(t *testing.T) {
	const block = 1 << 12
	var x, y, z, want [block]float32
	if !simd.HardwareFMA(want[:], x[:], y[:], z[:]) {
		t.Skip("this build has no vector instruction to compare with")
	}
	n := *fmaTriples
	if os.Getenv("EXP_LONG") == "1" {
		n = 1_000_000_000
	}
	r := rand.New(rand.NewPCG(15, 16))
	for done := 0; done < n; done += block {
		for i := range x {
			x[i], y[i], z[i] = triple(r)
		}
		simd.HardwareFMA(want[:], x[:], y[:], z[:])
		for i, w := range want {
			got := simd.FMA(x[i], y[i], z[i])
			if math.Float32bits(got) != math.Float32bits(w) && (got == got || w == w) {
				t.Fatalf("fma(%x, %x, %x) = %x, the CPU says %x", x[i], y[i], z[i], got, w)
			}
		}
	}
}

// triple draws any bits, numbers of like size, near cancellation, or few bits.
func triple(r *rand.Rand) (x, y, z float32) {
	u, v := r.Uint64(), r.Uint64()
	x, y, z = math.Float32frombits(uint32(u)), math.Float32frombits(uint32(u>>32)), math.Float32frombits(uint32(v))
	switch pick := v >> 32; pick & 7 {
	case 0:
	case 1: // z near −x·y
		p := float32(float64(x) * float64(y))
		z = math.Float32frombits(math.Float32bits(-p) + uint32(pick>>3&7) - 3)
	case 2: // 12 bits of mantissa in x and y: exact ties
		x = math.Float32frombits(math.Float32bits(x) &^ (1<<12 - 1))
		y = math.Float32frombits(math.Float32bits(y) &^ (1<<12 - 1))
		fallthrough
	default: // within 2^±32 of one another around one
		like := func(f float32, e uint64) float32 {
			return math.Float32frombits(math.Float32bits(f)&^(255<<23) | uint32(111+e&31)<<23)
		}
		x, y, z = like(x, pick>>3), like(y, pick>>8), like(z, pick>>13)
	}
	return x, y, z
}
