package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/report/stats"
)

func TestPairedAgainstPublished(t *testing.T) {
	for _, c := range []struct {
		source       string
		n, b, c      int
		low, high, p float64 // NaN: not given there
		digits       float64
	}{
		{"Fagerland, Lydersen and Laake 2014, airway hyper-responsiveness: −0.517 to −0.026 the other way", 21, 1, 7, 0.026, 0.517, 0.0339, 5e-4},
		{"Agresti 2002, table 10.1: approval ratings, z² = 17.36", 1600, 86, 150, math.NaN(), math.NaN(), 3.1e-5, 5e-7},
		{"Wilson's for none of n: z²/(n + z²)", 100, 0, 0, -3.841459 / 103.841459, 3.841459 / 103.841459, 1, 1e-8},
		{"all of them", 30, 0, 30, math.NaN(), 1, math.NaN(), 0},
	} {
		got := stats.Paired(c.n, c.b, c.c)
		for _, x := range [][2]float64{{c.low, got.Interval.Low}, {c.high, got.Interval.High}, {c.p, got.P}} {
			if !math.IsNaN(x[0]) {
				assert.InDelta(t, x[0], x[1], c.digits+1e-15, c.source)
			}
		}
	}
}

// It was once: −1.2 points, 95 % interval −2.35 to −0.04, p = 0.059.
func TestPairedAgreesWithItself(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for b := 0; b <= n; b++ {
			for c := 0; b+c <= n; c++ {
				agree(t, n, b, c)
			}
		}
	}
	e := agree(t, 1000, 23, 11)
	assert.InDelta(t, 0.0396, e.P, 5e-5)
	assert.Less(t, e.Interval.High, 0.0)
}

type failer interface {
	require.TestingT
	Helper()
}

func agree(t failer, n, b, c int) stats.Estimate {
	t.Helper()
	e := stats.Paired(n, b, c)
	require.Equal(t, e.Interval.Holds(0), e.P >= 1-stats.Level, "%d: %d, %d: %+v", n, b, c, e)
	require.True(t, -1 <= e.Interval.Low && e.Interval.Low <= e.Difference && e.Difference <= e.Interval.High && e.Interval.High <= 1, "%d: %d, %d: %+v", n, b, c, e)
	mirrored := stats.Paired(n, c, b)
	require.Equal(t, e, stats.Estimate{Difference: -mirrored.Difference, Interval: mirrored.Interval.Negative(), P: mirrored.P})
	return e
}

func TestPairedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(t, "n")
		b := rapid.IntRange(0, n).Draw(t, "b")
		c := rapid.IntRange(0, n-b).Draw(t, "c")
		e := agree(t, n, b, c)
		if b > 0 { // one thing changes sides
			more := agree(t, n, b-1, c+1)
			require.Greater(t, more.Difference, e.Difference)
			require.GreaterOrEqual(t, more.Interval.Low, e.Interval.Low)
			require.GreaterOrEqual(t, more.Interval.High, e.Interval.High)
			if c >= b {
				require.True(t, more.P < e.P || more.P == 0, "the less alike, the smaller p")
			}
		}
		larger := agree(t, 2*n, b, c) // as many discordant pairs among more
		require.Equal(t, e.P, larger.P, "p is that of the discordant pairs")
		if 2*(b+c) <= n {
			require.Less(t, larger.Interval.High-larger.Interval.Low, e.Interval.High-e.Interval.Low)
		}
	})
}

// discordance is what truly is: the share of things on which the sides differ, and the
// part of it on which the second is right.
type discordance struct{ share, second float64 }
