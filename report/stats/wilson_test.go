package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/report/stats"
)

// Newcombe, "Two-sided confidence intervals for the single proportion",
// Statistics in Medicine 17 (1998), table I, method 3.
func TestWilsonAgainstNewcombe(t *testing.T) {
	for _, c := range []struct{ hits, n, low, high float64 }{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		i, err := stats.Wilson(c.hits, c.n)
		require.NoError(t, err)
		assert.InDelta(t, c.low, i.Low, 0.00005, "%g of %g", c.hits, c.n)
		assert.InDelta(t, c.high, i.High, 0.00005, "%g of %g", c.hits, c.n)
	}
}

// original-setup.md §7 gives the half-widths on 25 000 reviews.
func TestWilsonOnIMDB(t *testing.T) {
	for accuracy, half := range map[float64]float64{74: 0.54, 80: 0.50, 83: 0.47, 90: 0.37} {
		i, err := stats.Wilson(accuracy*250, 25000)
		require.NoError(t, err)
		assert.InDelta(t, half, 50*(i.High-i.Low), 0.005)
	}
}

func TestWilsonRefuses(t *testing.T) {
	for _, c := range [][2]float64{{0, 0}, {-1, 10}, {11, 10}, {math.NaN(), 10}, {1, math.NaN()}, {1, math.Inf(1)}} {
		_, err := stats.Wilson(c[0], c[1])
		assert.Error(t, err, c)
	}
}

func TestWilsonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1_000_000).Draw(t, "n")
		hits := rapid.IntRange(0, n).Draw(t, "hits")
		i, err := stats.Wilson(float64(hits), float64(n))
		require.NoError(t, err)
		p := float64(hits) / float64(n)
		assert.True(t, 0 <= i.Low && i.High <= 1 && i.Low <= p+1e-12 && p <= i.High+1e-12, "%v", i)
		mirror, err := stats.Wilson(float64(n-hits), float64(n))
		require.NoError(t, err)
		assert.InDelta(t, i.Low, 1-mirror.High, 1e-12, "misses mirror hits")
	})
}

// Of all hits the upper end is 1 to the last bit, of none the lower 0, beside which they stand.
func TestWilsonEnds(t *testing.T) {
	for n := 1.0; n < 30000; n += 7 {
		all, err := stats.Wilson(n, n)
		require.NoError(t, err)
		none, err := stats.Wilson(0, n)
		require.NoError(t, err)
		require.Equal(t, [2]float64{1, 0}, [2]float64{all.High, none.Low}, "%v", n)
	}
	percent, err := stats.WilsonPercent(100, 200)
	require.NoError(t, err)
	require.Equal(t, 100.0, percent.High)
}
