package tables_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/figures"
	"imdbexp/report/tables"
)

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
	out := reporttest.Text(t, rep, 0)
	text := out
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

	out = reporttest.Text(t, rep, 60)
	assert.Regexp(t, `(?s)exact by source words .*3–4 +5–6 +7\n.*exact by source words .*8–9 +10–11 +12\n`, out, "no bin is left out")
	out = reporttest.CSV(t, rep.Records())
	assert.Contains(t, out, ",test_exact_match,test_bleu,")
}

// A file that somebody has cut still gives a table.
func TestCutTranslations(t *testing.T) {
	list := reporttest.Translators(t)
	for i, run := range list[:2] {
		path := filepath.Join(run.Path, "translations.tsv")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.SplitAfterN(string(text), "\n", 4)
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[:1+2*i], "")), 0o666)) // none, and two
	}
	require.NoError(t, reporttest.Build(t, list...).Text(new(bytes.Buffer), 0, false))
	figures.Smoothed(0).Of(list)
}

func TestDamagedTranslationsAreNoted(t *testing.T) {
	run := reporttest.Translators(t)[0]
	require.NoError(t, os.WriteFile(filepath.Join(run.Path, "translations.tsv"), []byte("pair\n"), 0o666))
	assert.Contains(t, reporttest.Text(t, reporttest.Build(t, run), 0), "translations.tsv:1: the header must be")
}
