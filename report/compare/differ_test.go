package compare_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

// Whoever compares is told every setting in which the sides differ, beside the verdict.
func TestSettingsThatDiffer(t *testing.T) {
	dir := t.TempDir()
	side := func(name, variant string, set ...string) compare.Side {
		r := reporttest.Run{Name: name, Variant: variant, Data: reporttest.IMDB, Epochs: 1, User: set,
			Predictions: reporttest.Predicted(40, func(i int) bool { return i%4 != 0 })}
		return must.Get(compare.ReadSide(name, []*runs.Run{r.Add(t, dir)}))(t)
	}
	mean := side("tme9-mean", "original", "optimizer=sgd")
	for want, other := range map[string]compare.Side{
		"From tme9-mean to tme9-simple differ: model mean → simple; variant original → default; clip 0 → 1; optimizer sgd → adam.": side("tme9-simple", "default", "clip=1"),
		"From tme9-mean to tme9-mean differ: seed 1 → 2.":                                     side("tme9-mean", "original", "optimizer=sgd", "seed=2"),
		"From tme9-mean to tme9-mean no setting differs.":                                     mean,
		"From tme9-mean to tme9-query differ: model mean → query; no setting that both have.": side("tme9-query", "original", "optimizer=sgd"),
	} {
		list := must.Get(compare.Against(mean, other))(t)
		for _, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return compare.Table(list).Text(b, 0, false) },
			func(b *bytes.Buffer) error { return compare.Table(list).Markdown(b) },
		} {
			var out bytes.Buffer
			require.NoError(t, write(&out))
			assert.Contains(t, out.String(), want)
		}
	}
	pair := mean
	pair.Answers = append(pair.Answers[:1:1], side("tme9-mean", "original", "optimizer=sgd", "seed=3").Answers...)
	adam := side("tme9-mean", "default")
	adam.Answers = append(adam.Answers[:1:1], side("tme9-mean", "default", "seed=3").Answers...)
	list := must.Get(compare.Against(pair, adam))(t)
	require.True(t, list[0].Paired)
	assert.Equal(t, []compare.Difference{{Key: "variant", First: "original", Second: "default"}, {Key: "optimizer", First: "sgd", Second: "adam"}}, list[0].Differ, "not the seeds")
	adam.Answers = adam.Answers[:1]
	list = must.Get(compare.Against(mean, adam))(t)
	out := reporttest.CSV(t, compare.Table(list).Records())
	assert.Contains(t, out, ",variant original → default; optimizer sgd → adam\n")
	another := reporttest.Side(t, "theirs", "++++")
	another.Answers[0].Data = ""
	list = must.Get(compare.Against(another, another))(t)
	assert.Empty(t, list[0].Differ)
	out = reporttest.Text(t, compare.Table(list), 0)
	assert.NotContains(t, out, "From")
}

// Of a network and a model that counts only what has a meaning for both is named.
func TestSettingsOfTwoKinds(t *testing.T) {
	dir := t.TempDir()
	counted := reporttest.IMDB
	counted.Kind = runs.NgramsKind
	side := func(name string, data runs.DataFacts, set ...string) compare.Side {
		r := reporttest.Run{Name: name, Data: data, Epochs: 1, User: set,
			Predictions: reporttest.Predicted(40, func(i int) bool { return i%4 != 0 })}
		return must.Get(compare.ReadSide(name, []*runs.Run{r.Add(t, dir)}))(t)
	}
	counts := side("tme9-nbsvm", counted, "test=last")
	network := side("tme9-lstm", reporttest.IMDB, "lr=0.1", "optimizer=sgd", "lstm.hidden=7", "data.max_len=9")
	model := compare.Difference{Key: "model", First: "nbsvm", Second: "lstm"}
	want := []compare.Difference{model, {Key: "data.max_len", First: "0", Second: "9"}, {Key: "test", First: "last", Second: "each"}}
	for _, turned := range []bool{false, true} {
		first, second := counts, network
		if turned {
			first, second = network, counts
			for i, d := range want {
				want[i].First, want[i].Second = d.Second, d.First
			}
		}
		list := must.Get(compare.Against(first, second))(t)
		assert.ElementsMatch(t, want, list[0].Differ)
		out := reporttest.Text(t, compare.Table(list), 0)
		assert.Contains(t, out, ".\nThe models differ in kind: one counts n-grams, one is a network; settings that only one kind has are left out.")
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
