package report_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/runs"
)

func TestByLength(t *testing.T) {
	p := &runs.Predictions{Rows: []runs.Prediction{
		{Words: 30}, {Words: 10, Label: 1}, {Words: 20}, {Words: 20, Label: 1}, {Words: 500}, {Words: 7, Label: -1},
	}}
	bins := report.ByLength(p, 2)
	assert.Equal(t, []report.LengthBin{
		{Reviews: 3, Shortest: 10, Words: 20, Longest: 20, Right: 1},
		{Reviews: 2, Shortest: 30, Words: 30, Longest: 500, Right: 2},
	}, bins)
	assert.InDelta(t, 1.0/3, bins[0].Accuracy(), 1e-15)
	assert.Empty(t, report.ByLength(&runs.Predictions{}, 10))
}

// A smoothed curve begins with its first value; one after an epoch without counts for both:
// 0.64·70 = 44.8, then 0.36·44.8 + 0.64·80 = 67.328 of 1 − 0.6⁴, then 0.6·67.328 + 36 of 1 − 0.6⁵.
func TestSmooth(t *testing.T) {
	got := report.Smooth([]float64{math.NaN(), 70, math.NaN(), 80, 90}, 0.6)
	assert.True(t, math.IsNaN(got[0]) && math.IsNaN(got[2]))
	assert.InDeltaSlice(t, []float64{70, 77.3529412, 82.8383067}, []float64{got[1], got[3], got[4]}, 1e-6)
	assert.Equal(t, []float64{3, 1, 2}, report.Smooth([]float64{3, 1, 2}, 0), "weight 0 changes nothing")
}

// The end of a smoothed curve is TensorBoard's: of 70, 80, 90 with weight 0.6 the sums are
// 28, 48.8, 65.28, and 65.28/(1 − 0.6³) is what it shows.
func TestEnds(t *testing.T) {
	of := func(test ...float64) report.Ends {
		run := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.Sample, Test: test, Epochs: len(test)}.Add(t, t.TempDir())
		return report.ReadAll([]*runs.Run{run})[0].Ends("test_acc", 0.6)
	}
	e := of(70, 80, 90)
	assert.InDelta(t, 83.2653061, e.Smoothed, 1e-6)
	assert.True(t, math.IsNaN(e.Last), "three epochs are not five")
	assert.InDelta(t, 77, of(77).Smoothed, 1e-9, "one epoch is itself")
	assert.InDelta(t, 50, of(0, 30, 40, 50, 60, 70).Last, 1e-9, "the last five")

	// Tested every other epoch: neither a smoothed curve nor a mean of five.
	none := math.NaN()
	gaps := of(none, 60, none, 70, none, 80)
	assert.True(t, math.IsNaN(gaps.Smoothed) && math.IsNaN(gaps.Last))
	late := of(none, 50, 60, 70, 80, 90)
	assert.True(t, math.IsNaN(late.Smoothed))
	assert.InDelta(t, 70, late.Last, 1e-9, "the last five were all tested")

	// Tested every fifth epoch, and after each of the last 14 (test.tail=14): what is missing
	// weighs 0.6¹⁴, less than a thousandth.
	var all, some []float64
	for epoch := 1; epoch <= 40; epoch++ {
		acc := 50 + float64(epoch*epoch%23)
		all, some = append(all, acc), append(some, acc)
		if epoch%5 != 0 && epoch <= 26 {
			some[epoch-1] = none
		}
	}
	assert.InDelta(t, of(all...).Smoothed, of(some...).Smoothed, 1e-3*22)
	some[26] = none
	assert.True(t, math.IsNaN(of(some...).Smoothed), "of the last 13")
}

// Runs that have their weights from runs of other settings or of another seed are of other
// settings; of their own seeds, they are seeds.
func TestBasesOfSeeds(t *testing.T) {
	dir := t.TempDir()
	add := func(name, seed string, set ...string) *runs.Run {
		return reporttest.Run{Name: name, Variant: "default", Set: set, User: []string{"seed=" + seed}, Data: reporttest.IMDB}.Add(t, dir)
	}
	imposed := func(seed string, base *runs.Run) *runs.Run {
		c := must.Get(base.Citation())(t)
		return add("tme9-values", seed, "attention=imposed", "attention.base="+c.String())
	}
	longer := reporttest.Run{Name: "tme9-lstm", Variant: "default", User: []string{"seed=2", "epochs=5"}, Data: reporttest.IMDB}.Add(t, dir)
	one, two := add("tme9-lstm", "1"), add("tme9-lstm", "2")
	list := []*runs.Run{imposed("1", one), imposed("2", two), imposed("2", longer), imposed("3", one)}

	groups := report.BySetting(list)
	require.Len(t, groups, 3)
	assert.Equal(t, list[:2], groups[0])

	var bases []string
	for _, g := range report.Grouped(report.ReadAll(list)) {
		base, _ := g[0].Config.Settings.Get("attention.base")
		bases = append(bases, base)
		assert.Equal(t, base == "tme9-lstm", len(g) == 2)
	}
	cited := must.Get(one.Citation())(t)
	assert.ElementsMatch(t, []string{"tme9-lstm", "tme9-lstm[epochs=5]", cited.String()}, bases)
	own, _ := list[0].Config.Settings.Get("attention.base")
	assert.Equal(t, cited.String(), own, "a run's folder says what it said")
}
