package report_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/must"
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
		got := stats.Holm(c.p)
		require.InDeltaSlice(t, c.want, got, 1e-12, c.source)
	}
}

func TestTInterval(t *testing.T) {
	// Student 1908, the additional hours of sleep of the second drug: mean 2.33,
	// and 0.90 to 3.76 by R's t.test(sleep$extra[11:20]).
	m, i := stats.TInterval([]float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4})
	assert.InDelta(t, 2.33, m, 1e-12)
	assert.InDelta(t, 0.8976775, i.Low, 1e-5)
	assert.InDelta(t, 3.7623225, i.High, 1e-5)
	for _, bad := range [][]float64{nil, {1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		_, i := stats.TInterval(bad)
		require.True(t, math.IsNaN(i.Low) && math.IsNaN(i.High))
	}
}

var anything = stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}

// By hand: 0.2, 0.3, 0.4 have Student's half 4.302653·0.1/√3 = 0.248414. Their own ends are 0.03,
// 0.06, 0.09 below, 0.06 on average, and 0.01 above: √(0.248414² + 0.06²) and √(0.248414² + 0.01²).
func TestOverSeeds(t *testing.T) {
	values := []float64{0.2, 0.3, 0.4}
	own := []stats.Interval{{Low: 0.17, High: 0.21}, {Low: 0.24, High: 0.31}, {Low: 0.31, High: 0.41}}
	m, i := stats.OverSeeds(values, own, anything)
	assert.InDelta(t, 0.3, m, 1e-12)
	assert.InDelta(t, 0.3-0.2555570, i.Low, 1e-6)
	assert.InDelta(t, 0.3+0.2486150, i.High, 1e-6)

	own[1].Low = math.NaN()
	_, i = stats.OverSeeds(values, own, anything)
	assert.InDelta(t, 0.3-0.2484138, i.Low, 1e-6, "of one without an interval the seeds alone")
	assert.InDelta(t, 0.3+0.2486150, i.High, 1e-6)
	_, i = stats.OverSeeds(values, own, stats.Interval{Low: 0.1, High: 0.5})
	assert.Equal(t, stats.Interval{Low: 0.1, High: 0.5}, i, "what cannot be is no part of it")
	m, i = stats.OverSeeds(values[:1], own[:1], anything)
	assert.Equal(t, values[0], m)
	assert.Equal(t, own[0], i, "of a single seed over the reviews")
}

func TestUnpaired(t *testing.T) {
	// Newcombe 1998 on differences, table II, method 10.
	for _, c := range []struct{ h1, n1, h2, n2, low, high float64 }{
		{56, 70, 48, 80, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.1705, 0.8090},
		{10, 10, 0, 20, 0.6791, 1},
	} {
		i := stats.Unpaired(c.h1, c.n1, c.h2, c.n2)
		assert.InDelta(t, c.low, i.Low, 5e-5)
		assert.InDelta(t, c.high, i.High, 5e-5)
	}
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
	area, i := stats.AUC(spread(3, 2, 2, 11, 33), spread(33, 6, 6, 11, 2))
	assert.InDelta(t, 0.893, area, 5e-4)
	assert.InDelta(t, 0.032, (i.High-i.Low)/2/1.96, 1e-3)

	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 20)
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		area, i := stats.AUC(a, b)
		mirror, _ := stats.AUC(b, a)
		require.InDelta(t, 1, area+mirror, 1e-12)
		require.True(t, i.Low <= area && area <= i.High)
	})
}

// NIST Statistical Reference Datasets, NumAcc1 and NumAcc3: exact mean and
// standard deviation.
func TestSummariseAgainstNIST(t *testing.T) {
	m := stats.Summarise([]float64{10000001, 10000003, 10000002})
	assert.Equal(t, stats.Moments{N: 3, Mean: 10000002, SD: 1}, m)

	values := []float64{1000000.2}
	for range 500 {
		values = append(values, 1000000.1, 1000000.3)
	}
	m = stats.Summarise(values)
	assert.Equal(t, 1001, m.N)
	assert.InDelta(t, 1000000.2, m.Mean, 1e-8)
	assert.InDelta(t, 0.1, m.SD, 1e-8)

	none := stats.Summarise([]float64{math.NaN()})
	assert.Zero(t, none.N)
	assert.True(t, math.IsNaN(none.Mean))
	one := stats.Summarise([]float64{80, math.NaN()})
	assert.Equal(t, 1, one.N)
	assert.Equal(t, 80.0, one.Mean)
	assert.True(t, math.IsNaN(one.SD))
}

func TestMedian(t *testing.T) {
	values := []float64{4, 1, math.Inf(1), 2}
	assert.Equal(t, 3.0, stats.Median(values))
	assert.Equal(t, []float64{4, 1, math.Inf(1), 2}, values, "they stay as they are")
	assert.Equal(t, 2.0, stats.Median([]float64{3, 1, 2}))
	assert.True(t, math.IsNaN(stats.Median(nil)))
}

// Newcombe, "Two-sided confidence intervals for the single proportion",
// Statistics in Medicine 17 (1998), table I, method 3.
func TestWilsonAgainstNewcombe(t *testing.T) {
	for _, c := range []struct{ hits, n, low, high float64 }{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		i := stats.Wilson(c.hits, c.n)
		assert.InDelta(t, c.low, i.Low, 0.00005, "%g of %g", c.hits, c.n)
		assert.InDelta(t, c.high, i.High, 0.00005, "%g of %g", c.hits, c.n)
	}
	for _, c := range [][2]float64{{0, 0}, {-1, 10}, {11, 10}, {math.NaN(), 10}, {1, math.NaN()}} {
		assert.True(t, math.IsNaN(stats.Wilson(c[0], c[1]).Low), c)
	}
}

func TestWilsonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1_000_000).Draw(t, "n")
		hits := rapid.IntRange(0, n).Draw(t, "hits")
		i := stats.Wilson(float64(hits), float64(n))
		p := float64(hits) / float64(n)
		assert.True(t, 0 <= i.Low && i.High <= 1 && i.Low <= p+1e-12 && p <= i.High+1e-12, "%v", i)
		mirror := stats.Wilson(float64(n-hits), float64(n))
		assert.InDelta(t, i.Low, 1-mirror.High, 1e-12, "misses mirror hits")
	})
}

// H is that of R's kruskal.test; with 3 values in each of two groups there are 20 groupings, of which two are this
// far apart.
func TestKruskal(t *testing.T) {
	share, p, err := stats.Kruskal([][]float64{{1, 2, 3}, {4, 5, 6}})
	require.NoError(t, err)
	assert.InDelta(t, (3.857142857-1)/4, share, 1e-9)
	assert.InDelta(t, 0.1, p, 0.01)

	share, p, err = stats.Kruskal([][]float64{{2.9, 3.0, 2.5, 2.6, 3.2}, {3.8, 2.7, 4.0, 2.4}, {2.8, 3.4, 3.7, 2.2, 2.0}}) // H = 0.77143 (Hollander and Wolfe 1973)
	require.NoError(t, err)
	assert.Zero(t, share)
	assert.InDelta(t, 0.71, p, 0.02)

	share, p, err = stats.Kruskal([][]float64{{1, 1, 2}, {2, 3, 3}}) // ties: H = 3.3333
	require.NoError(t, err)
	assert.InDelta(t, (10.0/3-1)/4, share, 1e-9)
	assert.InDelta(t, 0.2, p, 0.02)

	share, p, err = stats.Kruskal([][]float64{{1, 1}, {1, 1, 1}})
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1}, []float64{share, p})
	for _, bad := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 2}, {}}} {
		_, _, err := stats.Kruskal(bad)
		assert.ErrorContains(t, err, "want at least two groups")
	}
}

// The example of SciPy's documentation of kendalltau (1.15), and two that can be
// counted with pencil and paper.
func TestKendallByHand(t *testing.T) {
	for _, c := range []struct {
		x, y   []float32
		tau, p float64
	}{
		{[]float32{12, 2, 1, 12, 2}, []float32{1, 4, 7, 1, 0}, -0.47140452079103173, 0.2827454599327748},
		{[]float32{1, 2, 3, 4}, []float32{1, 2, 4, 3}, 4.0 / 6, 0.1742},
		{[]float32{1, 2, 3, 4, 5}, []float32{5, 4, 3, 2, 1}, -1, 0.0143},
	} {
		tau, p := must.Get2(stats.KendallB(c.x, c.y))(t)
		require.InDelta(t, c.tau, tau, 1e-12)
		require.InDelta(t, c.p, p, 5e-5)
	}
	tau, p := must.Get2(stats.KendallB([]float32{1, 1, 1}, []float32{1, 2, 3}))(t)
	require.True(t, math.IsNaN(tau))
	require.Equal(t, 1.0, p)
	for _, bad := range [][2][]float32{{{1}, {1}}, {{1, 2}, {1}}, {{1, float32(math.NaN())}, {1, 2}}} {
		require.ErrorContains(t, must.Fail2(stats.KendallB(bad[0], bad[1])), "kendall")
	}
}

// Against a loop over all pairs; and the variance of untied numbers against its
// textbook form 2(2n+5)/(9n(n−1)).
func TestKendallAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		few := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(i int) float32 { return float32(i) }), n, n)
		x, y := few.Draw(t, "x"), few.Draw(t, "y")
		var surplus, left, right float64
		for i := range n {
			for j := range i {
				a, b := float64(x[i]-x[j]), float64(y[i]-y[j])
				switch {
				case a*b > 0:
					surplus++
				case a*b < 0:
					surplus--
				}
				if a != 0 {
					left++
				}
				if b != 0 {
					right++
				}
			}
		}
		tau, p := must.Get2(stats.KendallB(x, y))(t)
		if left == 0 || right == 0 {
			require.True(t, math.IsNaN(tau))
			return
		}
		require.InDelta(t, surplus/math.Sqrt(left*right), tau, 1e-12)
		require.True(t, p >= 0 && p <= 1)
		back, q := must.Get2(stats.KendallB(y, x))(t)
		require.InDelta(t, tau, back, 1e-12)
		require.InDelta(t, p, q, 1e-9)
		if pairs := float64(n*(n-1)) / 2; left == pairs && right == pairs {
			z := tau / math.Sqrt(2*float64(2*n+5)/float64(9*n*(n-1)))
			require.InDelta(t, math.Erfc(math.Abs(z)/math.Sqrt2), p, 1e-9)
		}
	})
}
