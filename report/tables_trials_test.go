package report_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/figures"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

func TestGoldenTrials(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	rep := reporttest.Build(t, append(trials, looked...)...)
	for _, width := range []int{60, 100} {
		reporttest.Golden(t, fmt.Sprintf("trials-%d.txt", width), reporttest.Text(t, rep, width))
	}
	reporttest.Golden(t, "trials.md", reporttest.Written(t, rep.Markdown))
}

// Trials stand apart, the best first; rows that looked at test are as without them.
func TestTrialsStandApart(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	rep := reporttest.Build(t, append(trials, looked...)...)
	b, without := rep.Blocks[0], reporttest.Build(t, looked...).Blocks[0]
	require.Len(t, b.Rows, 2)
	for i, row := range b.Rows {
		assert.Equal(t, without.Rows[i].Label(), row.Label())
		assert.Equal(t, without.Rows[i].Cells["default"].Notes, row.Cells["default"].Notes)
	}
	require.Len(t, b.Trials, 1)
	assert.Equal(t, []string{"data.max_len=256", "select=best"}, b.Trials[0].Shared)
	assert.Equal(t, []string{"oov", "batch", "clip", "lr", "adam.beta1", "weight_decay"}, b.Trials[0].Keys)
	var ids []string
	for _, c := range b.Trials[0].Cells {
		for _, r := range c.Runs {
			ids = append(ids, r.Config.ID)
		}
	}
	want := []string{trials[4].Config.ID, trials[5].Config.ID} // the seeds of one setting
	for i := 3; i >= 0; i-- {
		want = append(want, trials[i].Config.ID)
	}
	assert.Equal(t, want, ids)
	assert.Len(t, rep.Results(), 8)
}

// Of a report of nothing but trials, the other tables would be empty.
func TestNothingButTrials(t *testing.T) {
	_, trials := reporttest.Searched(t)
	rep := reporttest.Build(t, trials...)
	b := reporttest.Text(t, rep, 0)
	assert.True(t, strings.HasPrefix(b, "Trials, never evaluated on the test set, by their validation score: tme9-lstm adam with data.max_len=256, select=best. IMDB: "))
	for _, never := range []string{"test acc", "Wilson", "other settings", "nothing is published", "@"} {
		assert.NotContains(t, b, never)
	}
}

// Without a validation split they have no score.
func TestTrialsWithoutValidation(t *testing.T) {
	trial := func(digest string, user ...string) *runs.Run {
		return reporttest.Run{Name: "tme9-lstm", User: append(user, "test=never"), Digests: map[string]string{"data": "da7a", "vectors": digest}}.New(t)
	}
	b := reporttest.Text(t, reporttest.Build(t, trial("a"), trial("b"), trial("a", "lr=0.5")), 0)
	assert.Regexp(t, `rank +valid acc. +epoch +lr +run\n`, b)
	assert.Contains(t, b, "\n¹ not averaged: with run ", "which has the same settings")
	assert.NotContains(t, b, "by their score")
}

func TestTranslations(t *testing.T) {
	s := report.Translations(reporttest.Translated(40, 9)) // four pairs each of 3 … 12 words
	assert.Equal(t, 70.0, s.Greedy.Exact)
	assert.Equal(t, 80.0, s.Beam.Exact)
	assert.Greater(t, s.Beam.BLEU, s.Greedy.BLEU)
	assert.Greater(t, s.Greedy.BLEU, 90.0)
	require.Len(t, s.Lengths, 6)
	assert.Equal(t, []string{"3–4", "12"}, []string{s.Lengths[0].Range(), s.Lengths[5].Range()})
	assert.Equal(t, 1.0, s.Lengths[0].Accuracy())
	assert.Equal(t, 0.0, s.Lengths[5].Accuracy())
}

func TestTranslationTables(t *testing.T) {
	rep := tables.Build(reporttest.Translators(t), tables.Options{})
	text := reporttest.Text(t, rep, 0)
	for _, want := range []string{
		"Exact match on test. Embedded phrases: 3 000 training and 40 test pairs",
		"exact, greedy", "exact, beam", "exact by source words", "3–4", "over pairs",
	} {
		assert.Contains(t, text, want)
	}
	assert.Regexp(t, `seq2seq-plain adam +40\.00 +\d\d\.\d\d +26\.\d–55\.\d`, text)
	assert.Regexp(t, `seq2seq-bahdanau adam +95\.00 ± 7\.07 \(2\)`, text)
	assert.NotContains(t, text, "macro")
	assert.NotContains(t, text, "oracle", "of next words, which is not what the table judges by")
	assert.NotContains(t, text, "damaged")
	assert.Regexp(t, `seq2seq-plain adam +default +100\.0 +100\.0 +0\.0`, text)

	assert.Regexp(t, `(?s)exact by source words +3–4 +5–6 .*exact by source words .*12\n`, reporttest.Text(t, rep, 60), "no bin is left out")
	assert.Contains(t, reporttest.CSV(t, rep.Records()), ",test_exact_match,test_bleu,")
}

// A file that somebody has cut still gives a table, and a damaged one a note.
func TestCutTranslations(t *testing.T) {
	list := reporttest.Translators(t)
	for i, run := range list[:2] {
		path := filepath.Join(run.Path, "translations.tsv")
		text := must.Get(os.ReadFile(path))(t)
		lines := strings.SplitAfterN(string(text), "\n", 4)
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[:1+2*i], "")), 0o666)) // none, and two
	}
	require.NoError(t, reporttest.Build(t, list...).Text(new(bytes.Buffer), 0, false))
	figures.Smoothed(0).Of(list)
	require.NoError(t, os.WriteFile(filepath.Join(list[0].Path, "translations.tsv"), []byte("pair\n"), 0o666))
	assert.Contains(t, reporttest.Text(t, reporttest.Build(t, list[0]), 0), "translations.tsv:1: the header must be")
}

// predictions makes rows of label and predicted class.
func predictions(classes int, pairs ...[2]int) *runs.Predictions {
	p := &runs.Predictions{Classes: strings.Split("abcdefghijklmnopqrst", "")[:classes]}
	for _, x := range pairs {
		p.Rows = append(p.Rows, runs.Prediction{Label: x[0], Predicted: x[1], P: make([]float32, classes)})
	}
	return p
}

func TestMacroF1(t *testing.T) {
	for name, c := range map[string]struct {
		p    *runs.Predictions
		want float64
	}{
		"all right":       {predictions(2, [2]int{0, 0}, [2]int{1, 1}), 100},
		"all wrong":       {predictions(2, [2]int{0, 1}, [2]int{1, 0}), 0},
		"one class only":  {predictions(2, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0}, [2]int{1, 0}), 100 * (6.0 / 7) / 2},
		"three, by hand":  {predictions(3, [2]int{0, 0}, [2]int{0, 1}, [2]int{1, 1}, [2]int{2, 1}, [2]int{2, 2}), 100 * (2.0/3 + 2.0/4 + 2.0/3) / 3},
		"an absent class": {predictions(3, [2]int{0, 0}, [2]int{1, 1}), 100}, // as f1_score(…, average="macro") of scikit-learn, and
		"one predicted":   {predictions(3, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 2}), 40},
		"unknown labels":  {predictions(2, [2]int{0, 0}, [2]int{-1, 0}, [2]int{1, 1}), 100},
		"no labels":       {predictions(2, [2]int{-1, 0}), math.NaN()},
		"no reviews":      {predictions(2), math.NaN()},
	} {
		got := report.MacroF1(report.Confusion(c.p))
		if math.IsNaN(c.want) {
			assert.True(t, math.IsNaN(got), name)
			continue
		}
		assert.InDelta(t, c.want, got, 1e-12, name)
	}
}

// A setting has one name, in tables and where settings are compared: a value that is usual is left out of both.
func TestNamesAreThoseOfTables(t *testing.T) {
	plain := reporttest.Run{Name: "tme9-lstm", Data: reporttest.Sample}.New(t)
	tuned := reporttest.Run{Name: "tme9-lstm", Data: reporttest.Sample, User: []string{"batch=" + plain.Config.Setting("batch"), "lr=0.05"}}.New(t)
	rep := reporttest.Build(t, plain, tuned)
	assert.Equal(t, "tme9-lstm adam lr=0.05", rep.Blocks[0].Rows[1].Label())
	assert.Equal(t, []string{"tme9-lstm adam", "tme9-lstm adam lr=0.05"}, report.Names([][]*runs.Run{{plain}, {tuned}}))
	assert.Equal(t, []string{"tme9-lstm adam lr=0.05"}, report.Names([][]*runs.Run{{tuned}}, plain))
	assert.Contains(t, report.Names([][]*runs.Run{{tuned}})[0], "batch=", "nothing tells what is usual")
}

// Which classes are confused, by seed summed; a model that predicts one class says so. Own data alone have macro-F1.
func TestConfusions(t *testing.T) {
	mine := reporttest.Sample
	mine.Name = "mine"
	p := predictions(2, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0}, [2]int{1, 0})
	p.Classes = []string{"neg", "pos"}
	for i := range p.Rows {
		p.Rows[i].P = []float32{0.75, 0.25}
	}
	list := []*runs.Run{reporttest.Run{Name: "tme9-mean", Data: mine, Predictions: p}.New(t), reporttest.Run{Name: "tme9-mean", Data: mine, Predictions: p, User: []string{"seed=2"}}.New(t)}
	rep := reporttest.Build(t, append(list, reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Predictions: p}.New(t))...)
	blocks := strings.Split(reporttest.Text(t, rep, 100), "\n\n\n")
	require.Len(t, blocks, 2)
	assert.Contains(t, blocks[0], `one class only: predicts "neg" for every review; 75.00 % of them are`)
	assert.Regexp(t, `82\.50¹ ± 0\.00 \(2\) +42\.86`, blocks[0])
	assert.Contains(t, strings.Join(strings.Fields(blocks[0]), " "), "macro-F1: mean F1 of the classes, in percent; always predicting the largest class has an accuracy of 75.00")
	assert.NotContains(t, blocks[1], "macro-F1")
	assert.Contains(t, reporttest.Written(t, rep.Markdown), "| macro-F1 |")
	csv := reporttest.CSV(t, rep.Records())
	assert.Contains(t, csv, ",test_macro_f1,")
	assert.Contains(t, csv, ",42.857142857142854,")

	c := must.Get(tables.NewConfusions(reporttest.Build(t, list...)))(t)
	text := reporttest.Text(t, c, 100)
	for _, want := range []string{
		`neg +6 +0 +75\.00 +100\.00 +85\.71 +75\.00`, `pos +2 +0 +– +0\.00 +0\.00 +25\.00`,
		`Accuracy 75\.00; always predicting "neg", the largest class, would have 75\.00\.`, `predicts "neg" for every review`, `Sums over 2 runs`,
	} {
		assert.Regexp(t, want, text)
	}
	assert.Contains(t, reporttest.CSV(t, c.Records()), "mine,tme9-mean adam,default,2,pos,neg,2\n")
}
