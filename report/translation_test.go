package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/settings"
	"imdbexp/report"
	"imdbexp/runs"
)

var phrases = runs.DataFacts{
	Name: "phrases", Kind: runs.PairsKind,
	Train: runs.Part{Reviews: 3000, Words: 30_000, Targets: 33_000}, Test: runs.Part{Reviews: 40, Words: 500, Targets: 550},
}

// translated are n pairs of 3 and more words; sentences of up to so many words are
// translated right, and by beam search those of one word more.
func translated(n, right int) []runs.Translation {
	var out []runs.Translation
	for i := range n {
		words := 3 + i/4
		t := runs.Translation{Pair: fmt.Sprintf("test/%04d", i+1), Source: strings.TrimSpace(strings.Repeat("the ", words)), Reference: strings.TrimSpace(strings.Repeat("le la les ", words))}
		t.Greedy, t.Beam = t.Reference, t.Reference
		if words > right {
			t.Greedy = strings.Replace(t.Reference, "le", "un", 1)
		}
		if words > right+1 {
			t.Beam = t.Greedy
		}
		out = append(out, t)
	}
	return out
}

// translator makes the folder of a run that translates; a nil list is test=never.
func translator(t *testing.T, dir, name string, seed int, list []runs.Translation) *runs.Run {
	t.Helper()
	set, err := settings.New(new(settings.Run))
	require.NoError(t, err)
	require.NoError(t, set.Apply("experiment", "epochs=1", fmt.Sprint("seed=", seed)))
	c := runs.NewConfig(name, name, 1, set, map[string]string{"data": "da7aphrases"})
	c.Data = phrases
	w, err := runs.Create(dir, c, runs.Environment{Started: time.Unix(1_800_000_000, 0)})
	require.NoError(t, err)
	defer w.Close()
	m := runs.Metrics{Epoch: 1, TrainLoss: runs.Number(0.1), TrainAcc: runs.Number(98)}
	var answers runs.Answers
	if list != nil {
		s := report.Translations(list)
		m.TestLoss, m.TestAcc, m.TestExact, m.TestBLEU = runs.Number(0.2), runs.Number(97), &s.Greedy.Exact, &s.Greedy.BLEU
		answers = runs.Translations(list)
	}
	require.NoError(t, w.Epoch(m, runs.Timing{Epoch: 1}, made{}.histograms(1), &runs.Checkpoint{Epoch: 1}, false))
	require.NoError(t, w.Finish(answers))
	run, err := runs.Open(w.Path())
	require.NoError(t, err)
	return run
}

func TestTranslations(t *testing.T) {
	s := report.Translations(translated(40, 9)) // four pairs each of 3 … 12 words
	assert.Equal(t, 70.0, s.Greedy.Exact)
	assert.Equal(t, 80.0, s.Beam.Exact)
	assert.Greater(t, s.Beam.BLEU, s.Greedy.BLEU)
	assert.Greater(t, s.Greedy.BLEU, 90.0)
	require.Len(t, s.Lengths, 6)
	assert.Equal(t, []string{"3–4", "12"}, []string{s.Lengths[0].Range(), s.Lengths[5].Range()})
	assert.Equal(t, 1.0, s.Lengths[0].Accuracy())
	assert.Equal(t, 0.0, s.Lengths[5].Accuracy())
}

func translators(t *testing.T) []*runs.Run {
	dir := t.TempDir()
	return []*runs.Run{
		translator(t, dir, "seq2seq-plain", 1, translated(40, 6)),
		translator(t, dir, "seq2seq-bahdanau", 1, translated(40, 12)),
		translator(t, dir, "seq2seq-bahdanau", 2, translated(40, 11)),
		translator(t, dir, "seq2seq-luong", 1, nil),
	}
}

func TestTranslationTables(t *testing.T) {
	rep := report.Build(translators(t), report.Options{})
	var out bytes.Buffer
	require.NoError(t, rep.Text(&out, 0, false))
	text := out.String()
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

	out.Reset()
	require.NoError(t, rep.Text(&out, 60, false))
	assert.Regexp(t, `(?s)exact by source words .*3–4 +5–6 +7\n.*exact by source words .*8–9 +10–11 +12\n`, out.String(), "no bin is left out")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 60, line)
	}

	out.Reset()
	require.NoError(t, rep.CSV(&out))
	assert.Contains(t, out.String(), ",test_exact_match,test_bleu,")
}

func TestTranslationFigure(t *testing.T) {
	list := translators(t)
	f := named(t, report.Figures(list), "translation-phrases")
	assert.Contains(t, f.Caption, list[0].Label())
	assert.NotContains(t, f.Caption, list[3].Label(), "its test was never looked at")
	assert.Contains(t, f.Caption, "in bins of 4 to 8 by words of the source")
	f.Caption = "caption"
	svg, err := f.Inline()
	require.NoError(t, err)
	assert.Contains(t, svg, ">seq2seq-bahdanau</text>")
	samePicture(t, f, smallPicture)

	entropy, ok := report.RunFigure(list[0], "entropy")
	require.True(t, ok)
	assert.Contains(t, entropy.Caption, "share of the pairs")
	assert.Contains(t, entropy.Caption, "1 of 1 epoch ·")
}

// Their curves tell next words from exact match, by which they are judged.
func TestTranslationCurves(t *testing.T) {
	f, ok := report.RunFigure(translators(t)[0], "curves")
	require.True(t, ok)
	assert.Contains(t, f.Title, ": loss, next words right and exact match")
	svg, err := f.Inline()
	require.NoError(t, err)
	for _, want := range []string{">loss<", ">next words right<", ">exact match<", ">exact match (%)<"} {
		assert.Contains(t, svg, want)
	}
	assert.NotContains(t, svg, "accuracy")
}

// The page of runs that translate speaks of exact match and pairs throughout.
func TestTranslationPage(t *testing.T) {
	html := page(t, report.PageOptions{}, translators(t)...)
	assert.Contains(t, html, `<th scope="col" class="n">exact match (%)</th>`)
	assert.Contains(t, html, `<td class="n">40.00</td>`, "of seq2seq-plain, not its 97 % of next words")
	assert.Contains(t, html, "no exact match on test yet")
	assert.NotContains(t, html, "test acc. (%)")
}

// A file that somebody has cut still gives a table.
func TestCutTranslations(t *testing.T) {
	list := translators(t)
	for i, run := range list[:2] {
		path := filepath.Join(run.Path, "translations.tsv")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.SplitAfterN(string(text), "\n", 4)
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[:1+2*i], "")), 0o666)) // none, and two
	}
	require.NoError(t, build(t, list...).Text(new(bytes.Buffer), 0, false))
	report.Figures(list)
}

func TestDamagedTranslationsAreNoted(t *testing.T) {
	run := translators(t)[0]
	require.NoError(t, os.WriteFile(filepath.Join(run.Path, "translations.tsv"), []byte("pair\n"), 0o666))
	var out bytes.Buffer
	require.NoError(t, build(t, run).Text(&out, 0, false))
	assert.Contains(t, out.String(), "translations.tsv:1: want the columns")
}

// Translations of the same pairs are compared like predictions: by which of them are
// exact.
func TestCompareTranslations(t *testing.T) {
	list := translators(t)
	plain, err := report.ReadSide("plain", list[:1])
	require.NoError(t, err)
	attention, err := report.ReadSide("bahdanau", list[1:2])
	require.NoError(t, err)
	compared, err := report.Compare(plain, attention)
	require.NoError(t, err)
	require.Len(t, compared, 1)
	assert.InDelta(t, 40, compared[0].Accuracy[0].Mean, 1e-9)
	assert.InDelta(t, 100, compared[0].Accuracy[1].Mean, 1e-9)
	assert.Equal(t, [2]int{0, 24}, compared[0].Only)
	var out bytes.Buffer
	require.NoError(t, report.Comparisons(compared).Text(&out, 0, false))
	assert.Contains(t, out.String(), "Test exact match on 40 common pairs")
	assert.Contains(t, out.String(), "Exact matches in percent")
	assert.NotContains(t, out.String(), "review")

	dir := t.TempDir()
	others := translated(40, 6)
	for i := range others {
		others[i].Pair = fmt.Sprintf("test/%04d", 100+i)
	}
	other, err := report.ReadSide("other", []*runs.Run{translator(t, dir, "seq2seq-luong", 1, others)})
	require.NoError(t, err)
	_, err = report.Compare(plain, other)
	assert.ErrorContains(t, err, "have no pairs in common (test/0001 and test/0100, for example)")
	_, err = report.ReadAnswers(list[3])
	assert.ErrorAs(t, err, new(*report.NoPredictionsError))
}
