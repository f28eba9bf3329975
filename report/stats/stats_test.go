package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/report/stats"
)

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		source  string
		p, want []float64
	}{
		{"Wikipedia, Holm–Bonferroni method: only the first and last are rejected at 5 %",
			[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{"R, p.adjust(method = \"holm\")", []float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		{"one alone stays", []float64{0.04}, []float64{0.04}},
		{"none above one", []float64{0.6, 0.9}, []float64{1, 1}},
		{"none", nil, []float64{}},
	} {
		got, err := stats.Holm(c.p)
		require.NoError(t, err)
		require.InDeltaSlice(t, c.want, got, 1e-12, c.source)
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := stats.Holm([]float64{0.5, bad})
		require.ErrorContains(t, err, "p value 2")
	}
}

func TestHolmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		got, err := stats.Holm(p)
		require.NoError(t, err)
		for i := range p {
			require.True(t, got[i] >= p[i] && got[i] <= min(1, float64(len(p))*p[i]), "between p and Bonferroni's")
			for j := range p {
				if p[i] < p[j] {
					require.LessOrEqual(t, got[i], got[j], "the order stays")
				}
			}
		}
	})
}

func TestTInterval(t *testing.T) {
	// Student 1908, the additional hours of sleep of the second drug: mean 2.33,
	// and 0.90 to 3.76 by R's t.test(sleep$extra[11:20]).
	m, i, err := stats.TInterval([]float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4})
	require.NoError(t, err)
	assert.InDelta(t, 2.33, m, 1e-12)
	assert.InDelta(t, 0.8976775, i.Low, 1e-5)
	assert.InDelta(t, 3.7623225, i.High, 1e-5)
	for _, bad := range [][]float64{nil, {1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		_, _, err := stats.TInterval(bad)
		require.Error(t, err)
	}
}

func TestUnpaired(t *testing.T) {
	// Newcombe 1998 on differences, table II, method 10.
	for _, c := range []struct{ h1, n1, h2, n2, low, high float64 }{
		{56, 70, 48, 80, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.1705, 0.8090},
		{10, 10, 0, 20, 0.6791, 1},
	} {
		i, err := stats.Unpaired(c.h1, c.n1, c.h2, c.n2)
		require.NoError(t, err)
		assert.InDelta(t, c.low, i.Low, 5e-5)
		assert.InDelta(t, c.high, i.High, 5e-5)
	}
	_, err := stats.Unpaired(3, 2, 1, 2)
	require.Error(t, err)
	_, err = stats.Unpaired(1, 2, 1, 0)
	require.Error(t, err)
}

func TestAUC(t *testing.T) {
	// Hanley and McNeil 1982, table I and II: 58 normal and 51 abnormal images in
	// five categories of rating; area 0.893, standard error 0.032.
	spread := func(counts ...int) (out []float64) {
		for rating, n := range counts {
			for range n {
				out = append(out, float64(rating))
			}
		}
		return out
	}
	area, i, err := stats.AUC(spread(3, 2, 2, 11, 33), spread(33, 6, 6, 11, 2))
	require.NoError(t, err)
	assert.InDelta(t, 0.893, area, 5e-4)
	assert.InDelta(t, 0.032, (i.High-i.Low)/2/1.96, 1e-3)

	for _, bad := range [][]float64{nil, {math.NaN()}} {
		_, _, err := stats.AUC(bad, []float64{1})
		require.Error(t, err)
		_, _, err = stats.AUC([]float64{1}, bad)
		require.Error(t, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 20)
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		area, i, err := stats.AUC(a, b)
		require.NoError(t, err)
		mirror, _, err := stats.AUC(b, a)
		require.NoError(t, err)
		require.InDelta(t, 1, area+mirror, 1e-12)
		require.True(t, i.Low <= area && area <= i.High)
	})
}
