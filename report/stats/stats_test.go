package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/report/stats"
)

func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		source       string
		b, c         int
		statistic, p float64 // NaN: exact
		digits       float64
	}{
		{"Fagerland, Lydersen and Laake 2013, table 1: airway hyper-responsiveness", 1, 7, math.NaN(), 0.0703, 5e-5},
		{"Agresti 2002, table 10.1: approval ratings, corrected as by R's mcnemar.test", 86, 150, 3969. / 236, 4.115e-5, 1e-8},
		{"(121 − 59 − 1)²/180: Wikipedia's first example, corrected", 121, 59, 20.6722, 5.45e-6, 1e-8},
		{"nothing to tell apart", 0, 0, math.NaN(), 1, 0},
		{"the least that counts as many", 12, 13, 0, 1, 0},
	} {
		got, err := stats.McNemar(c.b, c.c)
		require.NoError(t, err)
		assert.InDelta(t, c.p, got.P, c.digits+1e-12, c.source)
		if math.IsNaN(c.statistic) {
			assert.Contains(t, got.Name, "exact", c.source)
		} else {
			assert.InDelta(t, c.statistic, got.Statistic, 1e-4, c.source)
			assert.Contains(t, got.Name, "chi-square", c.source)
		}
	}
	_, err := stats.McNemar(-1, 3)
	require.Error(t, err)
}

// Twice the probability of at most the smaller count, by counting subsets.
func TestMcNemarExactByCounting(t *testing.T) {
	for n := 1; n < 25; n++ {
		ways, sum := 1.0, 0.0
		for k := 0; 2*k < n; k++ {
			sum += ways
			got, err := stats.McNemar(k, n-k)
			require.NoError(t, err)
			assert.InDelta(t, min(1, 2*sum/math.Pow(2, float64(n))), got.P, 1e-12, "%d of %d", k, n)
			ways *= float64(n-k) / float64(k+1)
		}
	}
}

func TestMcNemarProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 400).Draw(t, "discordant")
		b := rapid.IntRange(0, n/2-1).Draw(t, "b")
		p := func(b, c int) float64 {
			r, err := stats.McNemar(b, c)
			require.NoError(t, err)
			require.True(t, r.P >= 0 && r.P <= 1)
			return r.P
		}
		require.Equal(t, p(b, n-b), p(n-b, b), "the two may change places")
		require.LessOrEqual(t, p(b, n-b), p(b+1, n-b-1), "the more alike, the larger p")
	})
}

func TestPairedDifference(t *testing.T) {
	// By hand: 100 things, 10 and 20 discordant; with a half added to each cell
	// (20.5 − 10.5)/102 ± 1.96·√(31 − 100/102)/102.
	d, i, err := stats.Paired(100, 10, 20)
	require.NoError(t, err)
	assert.InDelta(t, 0.1, d, 1e-15)
	assert.InDelta(t, 10./102-1.959964*math.Sqrt(31-100./102)/102, i.Low, 1e-8)
	assert.InDelta(t, 10./102+1.959964*math.Sqrt(31-100./102)/102, i.High, 1e-8)
	for _, bad := range [][3]int{{0, 0, 0}, {3, 2, 2}, {5, -1, 2}} {
		_, _, err := stats.Paired(bad[0], bad[1], bad[2])
		require.Error(t, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		b := rapid.IntRange(0, n).Draw(t, "b")
		c := rapid.IntRange(0, n-b).Draw(t, "c")
		d, i, err := stats.Paired(n, b, c)
		require.NoError(t, err)
		mirrored, j, err := stats.Paired(n, c, b)
		require.NoError(t, err)
		require.InDelta(t, d, -mirrored, 1e-15)
		require.InDelta(t, i.Low, -j.High, 1e-12)
		require.True(t, i.Low < i.High && i.Low >= -1 && i.High <= 1)
	})
}

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
