package report_test

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Whoever compares is told every setting in which the sides differ, beside the verdict.
func TestSettingsThatDiffer(t *testing.T) {
	side := func(name, variant string, set ...string) compare.Side {
		r := reporttest.Run{Name: name, Variant: variant, Epochs: 1, User: set,
			Predictions: reporttest.Predicted(40, func(i int) bool { return i%4 != 0 })}
		return must.Get(compare.ReadSide(name, []*runs.Run{r.New(t)}))(t)
	}
	mean := side("tme9-mean", "original", "optimizer=sgd")
	changed, config := mean, *mean.Config
	config.Digests = map[string]string{"data": "5ca1ab1e0000"}
	changed.Config = &config
	for want, other := range map[string]compare.Side{
		"Between tme9-mean and tme9-simple these settings differ: model mean → simple; variant original → default; clip 0 → 1; optimizer sgd → adam.": side("tme9-simple", "default", "clip=1"),
		"Between tme9-mean and tme9-mean these settings differ: seed 1 → 2.":                                                                          side("tme9-mean", "original", "optimizer=sgd", "seed=2"),
		"Between tme9-mean and tme9-mean no setting differs.":                                                                                         mean,
		"Between tme9-mean and tme9-mean these settings differ: content of the data " + mean.Config.Digests["data"][:8] + " → 5ca1ab1e.":              changed,
		"Between tme9-mean and tme9-query these settings differ: model mean → query.":                                                                 side("tme9-query", "original", "optimizer=sgd"),
	} {
		list := must.Get(compare.Against(mean, other))(t)
		assert.Contains(t, reporttest.Text(t, compare.Table(list), 0), want)
		assert.Contains(t, reporttest.Written(t, compare.Table(list).Markdown), want)
	}
	pair := mean
	pair.Answers = append(pair.Answers[:1:1], side("tme9-mean", "original", "optimizer=sgd", "seed=3").Answers...)
	adam := side("tme9-mean", "default")
	adam.Answers = append(adam.Answers[:1:1], side("tme9-mean", "default", "seed=3").Answers...)
	list := must.Get(compare.Against(pair, adam))(t)
	require.True(t, list[0].Paired)
	assert.Equal(t, []string{"variant original → default", "optimizer sgd → adam"}, list[0].Differ, "not the seeds")
	adam.Answers = adam.Answers[:1]
	list = must.Get(compare.Against(mean, adam))(t)
	out := reporttest.CSV(t, compare.Table(list).Records())
	assert.Contains(t, out, ",variant original → default; optimizer sgd → adam\n")
}

// Of a network and a model that counts only what has a meaning for both is named.
func TestSettingsOfTwoKinds(t *testing.T) {
	counted := reporttest.IMDB
	counted.Kind = runs.NgramsKind
	side := func(name string, data runs.DataFacts, set ...string) compare.Side {
		r := reporttest.Run{Name: name, Data: data, Epochs: 1, User: set,
			Predictions: reporttest.Predicted(40, func(i int) bool { return i%4 != 0 })}
		return must.Get(compare.ReadSide(name, []*runs.Run{r.New(t)}))(t)
	}
	counts := side("tme9-nbsvm", counted, "test=last")
	network := side("tme9-lstm", reporttest.IMDB, "lr=0.1", "optimizer=sgd", "lstm.hidden=7", "data.max_len=9")
	for _, turned := range []bool{false, true} {
		first, second, want := counts, network, []string{"model nbsvm → lstm", "data.max_len 0 → 9", "test last → each"}
		if turned {
			first, second, want = network, counts, []string{"model lstm → nbsvm", "data.max_len 9 → 0", "test each → last"}
		}
		list := must.Get(compare.Against(first, second))(t)
		assert.ElementsMatch(t, want, list[0].Differ)
		out := reporttest.Text(t, compare.Table(list), 0)
		assert.Contains(t, out, ".\nThe models differ in kind: one counts n-grams, one is a network; settings that only one kind has are omitted.")
	}
}

// Translations of the same pairs are compared like predictions: by which of them are
// exact.
func TestCompareTranslations(t *testing.T) {
	list := reporttest.Translators(t)
	plain := must.Get(compare.ReadSide("plain", list[:1]))(t)
	attention := must.Get(compare.ReadSide("bahdanau", list[1:2]))(t)
	compared := must.Get(compare.Against(plain, attention))(t)
	require.Len(t, compared, 1)
	assert.InDelta(t, 40, compared[0].Accuracy[0].Mean, 1e-9)
	assert.InDelta(t, 100, compared[0].Accuracy[1].Mean, 1e-9)
	assert.Equal(t, [2]int{0, 24}, compared[0].Only)
	out := reporttest.Text(t, compare.Table(compared), 0)
	assert.Contains(t, out, "Test exact match on 40 common pairs")
	assert.Contains(t, out, "Exact matches in percent")
	assert.NotContains(t, out, "review")

	dir := t.TempDir()
	others := reporttest.Translated(40, 6)
	for i := range others {
		others[i].Pair = fmt.Sprintf("test/%04d", 100+i)
	}
	other := must.Get(compare.ReadSide("other", []*runs.Run{reporttest.Translator(t, dir, "seq2seq-luong", 1, others)}))(t)
	assert.ErrorContains(t, must.Fail(compare.Against(plain, other)), "have no pairs in common (test/0001 and test/0100, for example)")
	assert.ErrorAs(t, must.Fail(compare.ReadAnswers(list[3], nil)), new(*compare.NoPredictionsError))
}

// In each slice the accuracy and the paired difference are those of its reviews alone; p is adjusted
// over all slices.
func TestSlices(t *testing.T) {
	a, b := reporttest.Side("A", "+-+-----+-+-+++-+"), reporttest.Side("B", "-+++++++-+-+--+-+")
	part := func(from, to int) map[string]bool {
		out := map[string]bool{"r16": true}
		for r := from; r < to; r++ {
			out[fmt.Sprint("r", r)] = true
		}
		return out
	}
	s := must.Get(compare.BySlice("half", []compare.Slice{{Name: "first", Reviews: part(0, 8)}, {Name: "none", Reviews: map[string]bool{}}, {Name: "second", Reviews: part(8, 16)}}, []compare.Side{a, b}, true))(t)
	out := reporttest.CSV(t, s.Records())
	lines := must.Get(csv.NewReader(strings.NewReader(out)).ReadAll())(t)
	require.Len(t, lines, 5, "a head and two slices of two sides")
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	for i, want := range []struct {
		slice, acc         string
		onlyFirst, onlySec int
	}{{"first", "33.33333333333333", 0, 0}, {"first", "88.88888888888889", 1, 6}, {"second", "66.66666666666667", 0, 0}, {"second", "44.44444444444444", 4, 2}} {
		line := lines[i+1]
		require.Equal(t, want.slice, line[at["slice"]])
		require.InDelta(t, number(t, want.acc), number(t, line[at["acc"]]), 1e-9)
		w := stats.WilsonPercent(number(t, want.acc), 9)
		require.InDelta(t, w.Low, number(t, line[at["acc_low"]]), 1e-9)
		if i%2 == 0 {
			require.Empty(t, line[at["p"]])
			continue
		}
		e := stats.Paired(9, want.onlyFirst, want.onlySec)
		require.InDelta(t, e.P, number(t, line[at["p"]]), 1e-9)
		require.InDelta(t, 100*e.Interval.Low, number(t, line[at["low"]]), 1e-9)
		require.Greater(t, number(t, line[at["p_holm"]]), 0.99*e.P)
	}
	require.InDelta(t, 2*number(t, lines[2][at["p"]]), number(t, lines[2][at["p_holm"]]), 1e-9)

	alone := must.Get(compare.BySlice("half", []compare.Slice{{Name: "first", Reviews: part(0, 8)}}, []compare.Side{b}, false))(t)
	text := reporttest.Text(t, alone, 0)
	require.Regexp(t, ` first +B +9 +88\.89 +56\.5–98\.0\n`, text)
	require.NotContains(t, text, "difference")
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v := must.Get(strconv.ParseFloat(text, 64))(t)
	return v
}
