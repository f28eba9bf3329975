package explain

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// The mean of three seeds with Student's interval, 0.41, 0.42, 0.43 give 0.42 ± 0.043027/√3, and
// that of the reviews, which are 0.005 below and 0.01 above each.
func TestSeedsTogether(t *testing.T) {
	at := func(seed int, away float64) Number { return Number(0.4 + (float64(seed)+away)/100) }
	var g group
	for seed := range 3 {
		g = append(g, &Explained{Run: "tme9-lstm/abc", ID: "abc", About: "optimizer=sgd, seed=7", Reviews: 5, Of: 9, Results: []*Result{
			{Test: "erasure", Reviews: 5, Values: []Value{{Statistic: "s", N: 5, Value: at(seed, 1), Low: at(seed, 0.5), High: at(seed, 2)}}},
		}})
	}
	g[0].Results[0].Values = append(g[0].Results[0].Values, Value{Statistic: "of one seed alone"})
	w := g.whole()
	require.Equal(t, "tme9-lstm, 3 seeds", w.Run)
	require.Equal(t, "abc-3-seeds", w.ID, "which names its figures")
	require.Equal(t, "optimizer=sgd", w.About)
	require.Contains(t, w.Facts(), "means over 3 seeds, 95 % intervals over seeds and reviews; ")
	require.Len(t, w.Results[0].Values, 1)
	v := w.Results[0].Values[0]
	require.InDelta(t, 0.42, float64(v.Value), 1e-12)
	require.InDelta(t, 0.01*math.Hypot(4.302652729911275/math.Sqrt(3), 0.5), float64(v.Value-v.Low), 1e-8)
	require.InDelta(t, 0.01*math.Hypot(4.302652729911275/math.Sqrt(3), 1), float64(v.High-v.Value), 1e-8)
	require.Same(t, g[0], g[:1].whole())
}

// Shares end at 0 and 1, correlations at −1 and 1, however few seeds there are.
func TestMeansOverSeedsStayInRange(t *testing.T) {
	for _, c := range []struct {
		test, statistic string
		values          [3]Number
		low, high       float64
	}{
		{"agreement", "significant", [3]Number{0.9, 0.99, 1}, 0.8, 1},
		{"agreement", "τ", [3]Number{-0.98, -0.9, -0.99}, -1, -0.8},
		{"adversary", "divergence", [3]Number{0.6, 0.69, 0.69}, 0.5, math.Ln2},
		{"erasure", "sufficiency", [3]Number{-0.1, 0, 0.1}, -0.25, 0.25},
		{"sanity", "τ with random weights", [3]Number{-0.1, 0, 0.1}, -0.25, 0.25},
	} {
		var g group
		for _, v := range c.values {
			g = append(g, &Explained{Results: []*Result{{Test: c.test, Values: []Value{{Statistic: c.statistic, Value: v, Low: v, High: v}}}}})
		}
		v := g.mean(0).Values[0]
		require.InDelta(t, c.low, float64(v.Low), 0.1, c.statistic)
		require.InDelta(t, c.high, float64(v.High), 0.1, c.statistic)
		within := rangeOf(c.test, c.statistic)
		require.True(t, within.Low <= float64(v.Low) && float64(v.High) <= within.High, "%s: %v to %v", c.statistic, v.Low, v.High)
	}
}

// Only what somebody set keeps runs apart: a setting that one of them does not have yet was at
// its default there.
func TestAlike(t *testing.T) {
	config := func(from string, settings ...runs.Value) *runs.Run {
		r := &runs.Run{Config: runs.Config{Model: "lstm", Settings: settings, Digests: map[string]string{"data": "d"}, From: map[string]string{}}}
		for _, s := range settings {
			if from != "" && s.Key != "seed" {
				r.Config.From[s.Key] = from
			}
		}
		return r
	}
	seed := func(s string) runs.Value { return runs.Value{Key: "seed", Value: s} }
	attention := func(s string) runs.Value { return runs.Value{Key: "attention", Value: s} }
	old := config("", seed("1"))
	assert.True(t, alike(config("", seed("2"), attention("learned")), old, "seed"))
	assert.True(t, alike(old, config("", seed("2"), attention("learned")), "seed"))
	assert.False(t, alike(config("command line", seed("2"), attention("uniform")), old, "seed"))
	assert.False(t, alike(old, config("command line", seed("2"), attention("uniform")), "seed"))
	assert.False(t, alike(config("command line", seed("2"), attention("uniform")), config("", seed("1"), attention("learned")), "seed"))
	assert.False(t, alike(config("", seed("1")), old, "seed"), "the same")
	assert.True(t, alike(config("command line", seed("1"), attention("uniform")), old, "attention"))
	assert.False(t, alike(config("command line", seed("2"), attention("uniform")), old, "attention"))
}
