package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/bleu"
	"imdbexp/internal/format"
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
		run := reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Test: test, Epochs: len(test)}.New(t)
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
		return reporttest.Run{Name: name, Set: set, User: []string{"seed=" + seed}}.Add(t, dir)
	}
	imposed := func(seed string, base *runs.Run) *runs.Run {
		c := must.Get(base.Citation())(t)
		return add("tme9-values", seed, "attention=imposed", "attention.base="+c.String())
	}
	longer := reporttest.Run{Name: "tme9-lstm", User: []string{"seed=2", "epochs=5"}}.Add(t, dir)
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

func TestDecimals(t *testing.T) {
	assert.Equal(t, "0.00", format.Fixed(-0.001, 2), "no −0.00")
	assert.Equal(t, "0", format.Fixed(-0.4, 0))
	assert.Equal(t, "−0.001", format.Fixed(-0.001, 3))
	assert.Equal(t, "8.6e+32", format.Fixed(8.6e32, 3))
	assert.Equal(t, "−1.23e+07", format.Fixed(-12345678, 3))
	assert.Equal(t, "1000000.000", format.Fixed(1e6, 3))
	assert.Equal(t, format.None, format.Fixed(math.Inf(1), 2))
	assert.Equal(t, format.None, format.Optional(nil, 2))
	assert.Equal(t, "−0.29", format.Signed(-0.29))
	assert.Equal(t, "+0.00", format.Signed(-0.001))
	assert.Equal(t, "+1.50", format.Signed(1.5))
	assert.Equal(t, format.None, format.Signed(math.NaN()))
	assert.Equal(t, "+2.00 to –", format.FromTo(2, math.NaN()))
	for v, want := range map[float64]string{0: "+0.00", -0.0038: "−0.004", 0.0038: "+0.004", 0.00012: "+0.0001", -0.005001: "−0.01", 0.00004: "+0.0000"} {
		assert.Equal(t, want+" to +3.00", format.FromTo(v, 3))
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 25402: "25 402", 1234567: "1 234 567", -1000: "-1 000", -100: "-100"} {
		assert.Equal(t, want, format.Thousands(n))
	}
	for n, want := range map[int]string{0: "0 runs", 1: "1 run", 2000: "2 000 runs"} {
		assert.Equal(t, want, format.Counted(n, "run"))
	}
	for x, want := range map[float64]string{0: "0", 12.4: "12", 999.4: "999", 999.6: "1.00 k", 12345: "12.3 k", 670123: "670 k", 1.5e6: "1.50 M", 2e9: "2.00 G", 5e12: "5000 G"} {
		assert.Equal(t, want, format.SI(x), "%g", x)
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 84_125_825: "84.1 MB", 5_000_000_000: "5.0 GB"} {
		assert.Equal(t, want, format.Bytes(n))
	}
	assert.Equal(t, "of 1\u00a0000\u00a0000 texts, 25\u00a0001 in 3 parts", format.Unbroken("of 1 000 000 texts, 25 001 in 3 parts"))
}

func TestClockAndShare(t *testing.T) {
	for s, want := range map[float64]string{0: "0.0 s", 9.94: "9.9 s", 9.96: "10 s", 99.6: "1:40 min", 130: "2:10 min", 3599.6: "1:00 h", 3725: "1:02 h"} {
		assert.Equal(t, want, format.Clock(s), "%g", s)
	}
	for p, want := range map[float32]string{1: "100 %", 0.99951: "100 %", 0.1234: "12.3 %", 0.09994: "9.99 %", 0.0001: "0.01 %", 0.00001: "<0.01 %", 0: "0.00 %"} {
		assert.Equal(t, want, format.Share(p))
	}
}

// The three sentences of sacreBLEU's README, with two references each.
var (
	dog  = []string{"The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."}
	dogs = [][]string{
		{"The dog bit the man.", "The dog had bit the man."},
		{"It was not unexpected.", "No one was surprised."},
		{"The man bit him first.", "The man had bitten the dog."},
	}
)

// tokenize splits words at spaces and separates the last mark, as sacreBLEU's 13a does for these
// sentences.
func tokenize(line string) []string {
	line = strings.ReplaceAll(strings.ReplaceAll(line, ".", " ."), ";", " ;")
	return strings.Fields(line)
}

// The scores that sacreBLEU's README and tests (test_bleu.py, test_sentence_bleu.py)
// give. Sentences of four words and more have all n-grams, so that the effective
// order of the latter changes nothing.
func TestPublishedScores(t *testing.T) {
	const sugar, sugars = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;", "producţia de zahăr brut se exprimă în zahăr alb;"
	one := func(refs ...string) [][]string { return [][]string{refs} }
	for _, c := range []struct {
		name      string
		split     func(string) []string
		sentences []string
		refs      [][]string
		want      float64
		within    float64
	}{
		{"README", tokenize, dog, dogs, 48.530827, 1e-6},
		{"README, words between spaces", strings.Fields, dog, dogs, 49.1919566, 1e-6},
		{"nothing", tokenize, []string{"", "", ""}, dogs, 0, 0},
		{"no match", tokenize, []string{"this is a cat"}, one("okay thanks"), 0, 0},
		{"one four-gram", tokenize, []string{"this is a test"}, one("this is a test"), 100, 1e-6},
		{"two n without a match", tokenize, []string{sugar}, one(sugars), 8.493, 1e-3},
		{"words between spaces", strings.Fields, []string{sugar}, one(sugars), 7.347, 1e-3},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.InDelta(t, c.want, corpus(c.split, c.sentences, c.refs).Score().BLEU, c.within)
		})
	}
}

func corpus(split func(string) []string, sentences []string, refs [][]string) *bleu.Corpus {
	c := new(bleu.Corpus)
	for i, s := range sentences {
		var r [][]string
		for _, ref := range refs[i] {
			r = append(r, split(ref))
		}
		c.Add(split(s), r...)
	}
	return c
}

// The README shows what its score is made of.
func TestScoreParts(t *testing.T) {
	c := corpus(tokenize, dog, dogs)
	s := c.Score()
	require.Equal(t, "48.53 [82.4 50.0 45.5 37.5] 0.943", fmt.Sprintf("%.2f %.1f %.3f", s.BLEU, s.Precisions, s.Brevity))
	require.Equal(t, []int{17, 18}, []int{c.Words, c.Wanted})
}

// From the counts alone, as sacreBLEU's compute_bleu is tested.
func TestScoreOfCounts(t *testing.T) {
	c := bleu.Corpus{Matches: [4]int{9, 7, 5, 3}, Totals: [4]int{10, 8, 6, 4}, Words: 11, Wanted: 11}
	require.InDelta(t, 83.75922397, c.Score().BLEU, 1e-7)
	for _, c := range []bleu.Corpus{
		{},
		{Totals: [4]int{4, 4, 2, 1}, Wanted: 1},
		{Totals: [4]int{10, 11, 12, 0}, Words: 14, Wanted: 10},
		{Words: 1, Wanted: 5},
		{Matches: [4]int{3, 2, 1, 0}, Totals: [4]int{3, 2, 1, 0}, Words: 3, Wanted: 3}, // no 4-grams
	} {
		require.Zero(t, c.Score().BLEU)
	}
}

// The run nearest the median stands for the seeds: the first of several, and never one without a score.
func TestMiddle(t *testing.T) {
	none := math.NaN()
	for want, scores := range [][]float64{{50}, {50, 52, 90}, {none, none, 3, 70, none, 2}, {90, 40, 99, 53, 50}, {9, 8, 7, 6, 5, 4, 3, 2, 1}, {1, 1, 9, 9, none, 4, 6}} {
		assert.Equal(t, want, report.Middle(scores), scores)
	}
	assert.Zero(t, report.Middle([]float64{none, none}))
}

func TestTypical(t *testing.T) {
	seeds := func(vary string, valid []float64, user ...string) (list []*runs.Run) {
		for i, v := range valid {
			r := reporttest.Run{Name: "tme9-lstm", Data: reporttest.Sample, Best: 4, Valid: v, Test: []float64{v + float64(i*i)},
				User: append([]string{fmt.Sprintf("%s=%d", vary, i+1)}, user...)}
			list = append(list, r.New(t))
		}
		return list
	}
	for _, c := range []struct {
		list []*runs.Run
		want int
		why  string
	}{
		{seeds("seed", []float64{80}), 0, ""},
		{seeds("seed", []float64{80, 70, 81}), 0, "of 3 seeds: seed 1, the median by test accuracy"},             // 80, 71, 85
		{seeds("seed", []float64{90, 70, 81, 60}), 1, "of 4 seeds: seed 2, nearest the median by test accuracy"}, // 90, 71, 85, 69
		{seeds("data.test_seed", []float64{80, 90, 81}), 2, "of 3 seeds and divisions: seed 1, data.test_seed=3, the median by test accuracy"},
		{seeds("seed", []float64{60, 90, 81}, "test=never", "select=best"), 2, "of 3 seeds: seed 3, the median by validation accuracy"},
	} {
		run, why := report.Typical(c.list)
		assert.Equal(t, c.list[c.want].Path, run.Path)
		assert.Equal(t, c.why, why)
	}
}
