package adversary_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"imdbexp/internal/adversary"

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

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// What is found keeps the bounds, is as far as it says, and nothing on a fine grid over
// all distributions of a short text is farther.
func TestFarthestAgainstGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n := 2 + r.IntN(3)
		base, w := drawn(r, n)
		m := dot(base, w)
		lo, hi := m-0.3*r.Float64(), m+0.3*r.Float64()
		got, ok := adversary.Farthest(base, w, lo, hi)
		require.True(t, ok)
		alpha := make([]float64, n)
		got.Weights(alpha)
		require.InDelta(t, 1, dot(alpha, slices.Repeat([]float64{1}, n)), 1e-12)
		require.GreaterOrEqual(t, dot(alpha, w), lo-1e-12)
		require.LessOrEqual(t, dot(alpha, w), hi+1e-12)
		require.InDelta(t, adversary.Distance(base, alpha), got.Distance, 1e-12)
		const steps = 40
		grid(make([]float64, n), 0, steps, steps, func(p []float64) {
			if v := dot(p, w); v >= lo && v <= hi {
				require.LessOrEqual(t, adversary.Distance(base, p), got.Distance+1e-12)
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

// The words that are left out cannot be part of anything farther: all corners, looked at
// one by one, have no better one.
func TestFarthestLeavesNothingOut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + r.IntN(30)
		base, w := drawn(r, n)
		m := dot(base, w)
		lo, hi := adversary.Band(m, 0.01)
		got, ok := adversary.Farthest(base, w, lo, hi)
		best, alpha := -1.0, make([]float64, n)
		look := func(i, j int, t float64) {
			if a := (adversary.Two{I: i, J: j, T: t}); t >= 0 && t <= 1 {
				a.Weights(alpha)
				if v := dot(alpha, w); v >= lo-1e-12 && v <= hi+1e-12 {
					best = max(best, adversary.Distance(base, alpha))
				}
			}
		}
		for i := range base {
			look(i, i, 0)
			for j := range base {
				look(i, j, (lo-w[i])/(w[j]-w[i]))
				look(i, j, (hi-w[i])/(w[j]-w[i]))
			}
		}
		require.True(t, ok)
		require.InDelta(t, best, got.Distance, 1e-9)
	}
}

// The search of the paper, Adam on the scores of a softmax whose cost is the divergence
// and a penalty on the change of the answer beyond ε, is never farther, and keeps the
// bound less well.
func TestFarthestAgainstPenaltySearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var exact, searched float64
	const texts, epsilon = 12, 0.01
	for range texts {
		base, w := drawn(r, 40)
		m := dot(base, w)
		lo, hi := adversary.Band(m, epsilon)
		got, ok := adversary.Farthest(base, w, lo, hi)
		require.True(t, ok)
		best := penaltySearch(r, base, w, m, epsilon)
		require.LessOrEqual(t, best, got.Distance+1e-9)
		exact, searched = exact+got.Distance/texts, searched+best/texts
	}
	require.Greater(t, exact, 0.6)
	t.Logf("mean divergence: exact %.4f, searched %.4f", exact, searched)
}

// penaltySearch returns the largest divergence that it comes to within the bound.
func penaltySearch(r *rand.Rand, base, w []float64, m, epsilon float64) (best float64) {
	const steps, rate, penalty, beta1, beta2 = 500, 0.05, 500, 0.9, 0.999
	n := len(base)
	s, m1, m2, p, g := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	y := 1 / (1 + math.Exp(-m))
	for step := 1; step <= steps; step++ {
		sum := 0.0
		for i, v := range s {
			p[i] = math.Exp(v)
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		now := 1 / (1 + math.Exp(-dot(p, w)))
		if math.Abs(now-y) <= epsilon {
			best = max(best, adversary.Distance(base, p))
		}
		mean := 0.0
		for i := range g { // of −JSD + penalty·max(0, |now − y| − ε)
			g[i] = -math.Log(2*p[i]/(p[i]+base[i])) / 2
			if d := now - y; math.Abs(d) > epsilon {
				g[i] += penalty * math.Copysign(now*(1-now), d) * w[i]
			}
			mean += p[i] * g[i]
		}
		for i := range g {
			d := p[i] * (g[i] - mean)
			m1[i], m2[i] = beta1*m1[i]+(1-beta1)*d, beta2*m2[i]+(1-beta2)*d*d
			s[i] -= rate * m1[i] / (1 - math.Pow(beta1, float64(step))) / (math.Sqrt(m2[i]/(1-math.Pow(beta2, float64(step)))) + 1e-8)
		}
	}
	return best
}

func TestBand(t *testing.T) {
	for _, x := range []float64{-30, -3, 0, 1, 8, 40} {
		lo, hi := adversary.Band(x, 0.01)
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
	require.Zero(t, adversary.Distance([]float64{0.25, 0.75}, []float64{0.25, 0.75}))
	require.InDelta(t, math.Ln2, adversary.Distance([]float64{1, 0}, []float64{0, 1}), 1e-15)
	// m = (3/4, 1/4): ½ log(4/3) + ½ (½ log(2/3) + ½ log 2) = 0.2157616
	require.InDelta(t, 0.2157615543, adversary.Distance([]float64{1, 0}, []float64{0.5, 0.5}), 1e-9)
}

func BenchmarkFarthest(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	base, w := drawn(r, 270)
	m := dot(base, w)
	lo, hi := adversary.Band(m, 0.01)
	for b.Loop() {
		adversary.Farthest(base, w, lo, hi)
	}
}
