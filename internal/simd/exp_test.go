package simd_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/simd"
)

// long reports whether EXP_LONG asks for the long versions of tests.
func long() bool { return os.Getenv("EXP_LONG") != "" }

// whole reports whether there is time for whole series, as in .ci/run.
func whole() bool { return long() || os.Getenv("EXP_CI") == "1" }

// ulps returns the distance of got from the true value in units of the last
// place of a float32 near it.
func ulps(got float32, want float64) float64 {
	switch {
	case want != want:
		if got != got {
			return 0
		}
		return math.Inf(1)
	case float64(got) == want:
		return 0
	case math.IsInf(float64(float32(want)), 0): // beyond float32
		if got == float32(want) {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	if want == 0 {
		e = -200
	}
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

func sigmoid64(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// Every 4099th float32, or with EXP_LONG every fifth: 859 million arguments. That
// run and ones of every 17th and 37th found at most 0.894 ulp (exp), 0.815 (log),
// 1.585 (sigmoid) and 1.559 (tanh).
func TestElementaryAccuracy(t *testing.T) {
	step := uint64(4099)
	if long() {
		step = 5
	}
	for _, c := range []struct {
		name  string
		f     func(dst, x []float32)
		ref   func(float64) float64
		bound float64
	}{
		{"exp", simd.Exp, math.Exp, 1},
		{"log", simd.Log, math.Log, 1},
		{"sigmoid", simd.Sigmoid, sigmoid64, 2},
		{"tanh", simd.Tanh, math.Tanh, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			worst, at := 0.0, float32(0)
			x, y := make([]float32, 0, 1024), make([]float32, 1024)
			for b := uint64(0); b < 1<<32; b += step {
				x = append(x, math.Float32frombits(uint32(b)))
				if len(x) < cap(x) && b+step < 1<<32 {
					continue
				}
				c.f(y[:len(x)], x)
				for i, v := range x {
					if e := ulps(y[i], c.ref(float64(v))); e > worst {
						worst, at = e, v
					}
				}
				x = x[:0]
			}
			t.Logf("worst error %.3f ulp, at %g", worst, at)
			require.LessOrEqual(t, worst, c.bound, "at %g", at)
		})
	}
}

func TestElementaryLimits(t *testing.T) {
	inf := float32(math.Inf(1))
	negZero := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		name    string
		f       func(float32) float32
		x, want float32
	}{
		{"exp", simd.Exp1, 0, 1},
		{"exp", simd.Exp1, inf, inf},
		{"exp", simd.Exp1, -inf, 0},
		{"exp", simd.Exp1, 88.72284, inf},
		{"exp", simd.Exp1, -103.97208, 1e-45}, // the smallest subnormal
		{"exp", simd.Exp1, -103.97209, 0},
		{"log", simd.Log1, 0, -inf},
		{"log", simd.Log1, negZero, -inf},
		{"log", simd.Log1, inf, inf},
		{"log", simd.Log1, 1, 0},
		{"log", simd.Log1, 1e-45, -103.27893},
		{"log", simd.Log1, -1, float32(math.NaN())},
		{"sigmoid", simd.Sigmoid1, 0, 0.5},
		{"sigmoid", simd.Sigmoid1, inf, 1},
		{"sigmoid", simd.Sigmoid1, -inf, 0},
		{"sigmoid", simd.Sigmoid1, 1e30, 1},
		{"tanh", simd.Tanh1, 0, 0},
		{"tanh", simd.Tanh1, negZero, negZero},
		{"tanh", simd.Tanh1, inf, 1},
		{"tanh", simd.Tanh1, -inf, -1},
		{"tanh", simd.Tanh1, 1e-45, 1e-45},
	} {
		got := c.f(c.x)
		if c.want != c.want {
			assert.True(t, got != got, "%s(%g) = %g", c.name, c.x, got)
			continue
		}
		assert.Equal(t, math.Float32bits(c.want), math.Float32bits(got), "%s(%g) = %g, want %g", c.name, c.x, got, c.want)
	}
	for _, f := range []func(float32) float32{simd.Exp1, simd.Log1, simd.Sigmoid1, simd.Tanh1} {
		got := f(float32(math.NaN()))
		assert.True(t, got != got)
	}
}

// bigExp returns eˣ with 200 bits, by its series after halving x.
func bigExp(x float64) *big.Float {
	const prec, halvings = 300, 20
	r := new(big.Float).SetPrec(prec).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := int64(1); i < 60; i++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(i))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExp64AgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-700, 700).Draw(t, "x")
		want := bigExp(x)
		diff := new(big.Float).Sub(want, big.NewFloat(simd.Exp64(x)))
		rel, _ := diff.Quo(diff, want).Float64()
		require.Less(t, math.Abs(rel), 2*0x1p-53)
		// log(eˣ) = x ties Log64 to the same reference.
		y := simd.Exp64(x)
		w := bigExp(simd.Log64(y))
		diff = new(big.Float).Sub(w, big.NewFloat(y))
		rel, _ = diff.Quo(diff, w).Float64()
		require.Less(t, math.Abs(rel), 0x1p-52*(1+math.Abs(x)))
	})
}

// Package math reduces large arguments as we do, so the reference is reduced with
// 60 digits of π.
func TestSinCosOfLargeArguments(t *testing.T) {
	const prec = 250
	twoPi, _, err := big.ParseFloat("6.28318530717958647692528676655900576839433879875021164194989", 10, prec, big.ToNearestEven)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20_000 {
		x := rng.Float64() * (1 << 23)
		if i%2 == 0 { // positions
			x = float64(rng.IntN(1 << 23))
		}
		b := new(big.Float).SetPrec(prec).SetFloat64(x)
		turns, _ := new(big.Float).Quo(b, twoPi).Int(nil)
		n := new(big.Float).SetPrec(prec).SetInt(turns)
		r, _ := b.Sub(b, n.Mul(n, twoPi)).Float64()
		// r itself is rounded: by less than 2⁻⁵¹, near 2π.
		require.InDelta(t, math.Sin(r), simd.Sin64(x), 0x1p-51+0x1p-52)
		require.InDelta(t, math.Cos(r), simd.Cos64(x), 0x1p-51+0x1p-52)
	}
}

func TestFloat64Helpers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	near := func(want, got, within float64) { // a million calls of require take a second
		if !(math.Abs(want-got) <= within) {
			require.InDelta(t, want, got, within)
		}
	}
	for range 200_000 {
		x := rng.NormFloat64() * math.Exp(rng.Float64()*6)
		e := math.Mod(x, 700)
		near(math.Exp(e), simd.Exp64(e), 4e-16*math.Exp(e))
		a := math.Abs(x)
		near(math.Log(a), simd.Log64(a), 3e-16*math.Max(1, math.Abs(math.Log(a))))
		near(math.Sin(x), simd.Sin64(x), 3e-16)
		near(math.Cos(x), simd.Cos64(x), 3e-16)
	}
	for _, x := range []float64{20000, 123456.789, 1 << 23} {
		require.InDelta(t, math.Sin(x), simd.Sin64(x), 3e-16)
		require.InDelta(t, math.Cos(x), simd.Cos64(-x), 3e-16)
	}
	require.True(t, math.IsNaN(simd.Sin64(1e9)))
	require.True(t, math.IsNaN(simd.Cos64(math.Inf(1))))
	require.Equal(t, 1.0, simd.Exp64(0))
	require.Equal(t, 0.0, simd.Exp64(-1e4))
	require.Equal(t, math.Inf(1), simd.Exp64(1e4))
	require.InEpsilon(t, math.Exp(-730), simd.Exp64(-730), 1e-7) // subnormal
	require.Equal(t, math.Inf(-1), simd.Log64(0))
	require.True(t, math.IsNaN(simd.Log64(-1)))
}
