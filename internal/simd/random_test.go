package simd_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// kept returns which of n elements a key keeps.
func kept(n int, key uint64, p float32) []bool {
	x := make([]float32, n)
	simd.Fill(x, 1)
	simd.Dropout(x, x, key, p)
	k := make([]bool, n)
	for i, v := range x {
		k[i] = v != 0
	}
	return k
}

// agreement returns by how many standard deviations the number of positions
// where a and b agree differs from chance, for a keep rate of one half.
func agreement(a, b []bool) float64 {
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	n := float64(len(a))
	return (float64(same) - n/2) / math.Sqrt(n/4)
}

func TestDropoutRate(t *testing.T) {
	const n = 1 << 20
	for _, p := range []float32{0, 0.1, 0.3, 0.5, 0.9} {
		x := make([]float32, n)
		simd.Fill(x, 1)
		simd.Dropout(x, x, simd.Key(1, "rate"), p)
		count := 0
		for _, v := range x {
			if v != 0 {
				if v != 1/(1-p) { // a million calls of require.Equal take a second
					require.Equal(t, 1/(1-p), v)
				}
				count++
			}
		}
		sd := math.Sqrt(n * float64(p) * (1 - float64(p)))
		require.InDelta(t, n*(1-float64(p)), count, 4.5*sd+1e-9, "p = %g", p)
	}
}

// Chi-square over the 256 patterns of eight neighbouring elements: 255 degrees of
// freedom, so 255 ± 22.6.
func TestDropoutPatterns(t *testing.T) {
	for seed := range uint64(8) {
		k := kept(1<<20, simd.Key(seed, "patterns"), 0.5)
		var count [256]float64
		for i := 0; i < len(k); i += 8 {
			b := 0
			for j := range 8 {
				if k[i+j] {
					b |= 1 << j
				}
			}
			count[b]++
		}
		want := float64(len(k)/8) / 256
		chi := 0.0
		for _, c := range count {
			chi += (c - want) * (c - want) / want
		}
		require.InDelta(t, 255, chi, 5*22.6, "seed %d", seed)
	}
}

// Keys that differ in one bit, or by one, must give unrelated masks, and so must
// a mask and its shifts.
func TestDropoutIndependence(t *testing.T) {
	const n = 1 << 16
	const limit = 5
	base := kept(n, 0, 0.5)
	for bit := range 64 {
		require.InDelta(t, 0, agreement(base, kept(n, 1<<bit, 0.5)), limit, "bit %d", bit)
	}
	for k := uint64(1); k < 64; k++ {
		require.InDelta(t, 0, agreement(kept(n, k, 0.5), kept(n, k+1, 0.5)), limit, "key %d", k)
	}
	for lag := 1; lag < 128; lag++ {
		require.InDelta(t, 0, agreement(base[lag:], base[:n-lag]), limit, "lag %d", lag)
		other := kept(n, uint64(lag), 0.5)
		require.InDelta(t, 0, agreement(other[lag:], base[:n-lag]), limit, "key and lag %d", lag)
	}
}

func TestDropoutOfNothing(t *testing.T) {
	x, y := normals(1000, 1), make([]float32, 1000)
	simd.Dropout(y, x, 42, 0)
	require.Equal(t, x, y)
}

func TestHashAvalanche(t *testing.T) {
	var flips [64]int
	const n = 2000
	for i := range uint64(n) {
		h := simd.Hash1(7, i)
		for b := range 64 {
			d := h ^ simd.Hash1(7, i^1<<b)
			for ; d != 0; d &= d - 1 {
				flips[bits.TrailingZeros64(d)]++
			}
		}
	}
	for b, f := range flips {
		require.InDelta(t, 0.5, float64(f)/(64*n), 0.01, "bit %d", b)
	}
	require.NotEqual(t, simd.Key(1, "a"), simd.Key(1, "b"))
	require.NotEqual(t, simd.Key(1, "a"), simd.Key(2, "a"))
	require.NotEqual(t, simd.Hash2(1, 2, 3), simd.Hash2(1, 3, 2))
	require.Equal(t, simd.Hash1(simd.Hash2(1, 2, 3), 4), simd.Hash3(1, 2, 3, 4))
}

// The values are part of every run's result: a change here changes all of them.
func TestRandomIsPinned(t *testing.T) {
	require.Equal(t, uint64(0x3d7288fdd78e42e5), simd.Key(1, "init"))
	x := make([]float32, 3)
	simd.Uniform(x, 1, 0, 1)
	assert.Equal(t, []float32{0.8628561, 0.3606375, 0.031652212}, x)
	simd.Normal(x, 1, 0, 1)
	assert.Equal(t, []float32{-1.2767519, 1.5308019, 0.17378007}, x)
	mask := uint64(0)
	for i, k := range kept(64, 1, 0.5) {
		if k {
			mask |= 1 << i
		}
	}
	assert.Equal(t, uint64(0x51c83cbcf8c2499f), mask)
}

func TestUniformAndNormalMoments(t *testing.T) {
	x := make([]float32, 1<<18+1)
	simd.Uniform(x, simd.Key(3, "u"), -2, 4)
	mean, variance := moments(x)
	require.InDelta(t, 1, mean, 0.02)
	require.InDelta(t, 3, variance, 0.03)
	for _, v := range x {
		require.True(t, v >= -2 && v <= 4)
	}
	simd.Normal(x, simd.Key(3, "n"), 1, 2)
	mean, variance = moments(x)
	require.InDelta(t, 1, mean, 0.03)
	require.InDelta(t, 4, variance, 0.06)
	inside := 0
	for _, v := range x {
		if math.Abs(float64(v-1)) < 2 {
			inside++
		}
	}
	require.InDelta(t, 0.6827, float64(inside)/float64(len(x)), 0.005)
}

func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	return mean, variance / float64(len(x))
}
