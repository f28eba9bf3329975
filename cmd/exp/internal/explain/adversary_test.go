package explain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn returns a text of n words: weights, some sharp and some flat, and slopes.
func drawn(r *rand.Rand, n int) (base, w []float64) {
	base, w = make([]float64, n), make([]float64, n)
	sharp, sum := 4*r.Float64(), 0.0
	for i := range base {
		base[i] = math.Exp(sharp * r.NormFloat64())
		sum += base[i]
		w[i] = 3 * r.NormFloat64()
	}
	for i := range base {
		base[i] /= sum
	}
	return base, w
}

// The distribution found keeps the bounds and has the divergence reported, and none on a fine
// grid over all distributions of a short text is farther.
func TestFarthestAgainstGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n := 2 + r.IntN(3)
		base, w := drawn(r, n)
		m := dot(base, w)
		lo, hi := m-0.3*r.Float64(), m+0.3*r.Float64()
		got, ok := farthest(base, w, lo, hi)
		require.True(t, ok)
		alpha := make([]float64, n)
		got.Weights(alpha)
		require.InDelta(t, 1, dot(alpha, slices.Repeat([]float64{1}, n)), 1e-12)
		require.GreaterOrEqual(t, dot(alpha, w), lo-1e-12)
		require.LessOrEqual(t, dot(alpha, w), hi+1e-12)
		require.InDelta(t, jensenShannon(base, alpha), got.Distance, 1e-12)
		const steps = 40
		grid(make([]float64, n), 0, steps, steps, func(p []float64) {
			if v := dot(p, w); v >= lo && v <= hi {
				require.LessOrEqual(t, jensenShannon(base, p), got.Distance+1e-12)
			}
		})
	}
}

// grid calls f with every distribution in steps of 1/steps.
func grid(p []float64, at, left, steps int, f func([]float64)) {
	if at == len(p)-1 {
		p[at] = float64(left) / float64(steps)
		f(p)
		return
	}
	for k := 0; k <= left; k++ {
		p[at] = float64(k) / float64(steps)
		grid(p, at+1, left-k, steps, f)
	}
}

// The words that the search skips cannot be part of a farther distribution: no corner is
// farther than the result.
func TestFarthestLeavesNothingOut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + r.IntN(30)
		base, w := drawn(r, n)
		m := dot(base, w)
		lo, hi := band(m, 0.01)
		got, ok := farthest(base, w, lo, hi)
		best, alpha := -1.0, make([]float64, n)
		try := func(i, j int, t float64) {
			if a := (twoWords{I: i, J: j, T: t}); t >= 0 && t <= 1 {
				a.Weights(alpha)
				if v := dot(alpha, w); v >= lo-1e-12 && v <= hi+1e-12 {
					best = max(best, jensenShannon(base, alpha))
				}
			}
		}
		for i := range base {
			try(i, i, 0)
			for j := range base {
				try(i, j, (lo-w[i])/(w[j]-w[i]))
				try(i, j, (hi-w[i])/(w[j]-w[i]))
			}
		}
		require.True(t, ok)
		require.InDelta(t, best, got.Distance, 1e-9)
	}
}

func TestBand(t *testing.T) {
	for _, x := range []float64{-30, -3, 0, 1, 8, 40} {
		lo, hi := band(x, 0.01)
		p := 1 / (1 + math.Exp(-x))
		require.LessOrEqual(t, lo, x)
		require.GreaterOrEqual(t, hi, x)
		if !math.IsInf(lo, 0) {
			require.InDelta(t, p-0.01, 1/(1+math.Exp(-lo)), 1e-12)
		}
		if !math.IsInf(hi, 0) {
			require.InDelta(t, p+0.01, 1/(1+math.Exp(-hi)), 1e-12)
		}
	}
}

// Divergences by hand: none, all, and a half moved away.
func TestDistance(t *testing.T) {
	require.Zero(t, jensenShannon([]float64{0.25, 0.75}, []float64{0.25, 0.75}))
	require.InDelta(t, math.Ln2, jensenShannon([]float64{1, 0}, []float64{0, 1}), 1e-15)
	// m = (3/4, 1/4): ½ log(4/3) + ½ (½ log(2/3) + ½ log 2) = 0.2157616
	require.InDelta(t, 0.2157615543, jensenShannon([]float64{1, 0}, []float64{0.5, 0.5}), 1e-9)
}
