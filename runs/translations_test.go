package runs_test

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func TestTranslationsText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, runs.Translations{
		{Pair: "test/0001", Source: "the red carpet", Reference: "le tapis rouge", Greedy: "le tapis", GreedyScore: -0.5, Beam: "le tapis rouge", BeamScore: -0.25},
		{Pair: "test/0002", Source: "\t\\", Reference: `"`, GreedyScore: -1e-9},
	}.Write(&b))
	require.Equal(t, "pair\tsource\treference\tgreedy\tgreedy_score\tbeam\tbeam_score\n"+
		"test/0001\tthe red carpet\tle tapis rouge\tle tapis\t-0.5\tle tapis rouge\t-0.25\n"+
		"test/0002\t\\t\\\\\t\"\t\t-1e-09\t\t0\n", b.String())
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		require.ErrorContains(t, runs.Translations{{Pair: "x", BeamScore: bad}}.Write(&b), "pair x: scores")
	}
}

func TestTranslationsErrors(t *testing.T) {
	const header = "pair\tsource\treference\tgreedy\tgreedy_score\tbeam\tbeam_score\n"
	for _, c := range []struct{ text, want string }{
		{"", "t.tsv is empty"},
		{"pair\tsource\n", "t.tsv:1: the header must be pair, source"},
		{header + "a\tb\tc\td\t-1\te\n", "t.tsv:2: 6 columns, the header has 7"},
		{header + "a\tb\tc\td\tx\te\t-1\n", `t.tsv:2: greedy_score "x": want a number`},
		{header + "a\tb\tc\td\t-1\te\tNaN\n", `beam_score "NaN": want a number`},
		{header + "a\tb\tc\td\t-1\te\t-1", "cut off"},
	} {
		require.ErrorContains(t, must.Fail(runs.ParseTranslations("t.tsv", []byte(c.text))), c.want)
	}
}

func FuzzTranslations(f *testing.F) {
	f.Add([]byte("pair\tsource\treference\tgreedy\tgreedy_score\tbeam\tbeam_score\na\tb\tc\td\t-1\te\t-0.5\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := runs.ParseTranslations("t.tsv", b)
		if err != nil {
			return
		}
		var once bytes.Buffer
		require.NoError(t, list.Write(&once))
		back := must.Get(runs.ParseTranslations("t.tsv", once.Bytes()))(t)
		require.Equal(t, list, back)
	})
}

// translator makes a run that has translations instead of predictions.
func translator(t *testing.T, dir string) *runs.Run {
	t.Helper()
	c := config(t, "epochs=1", "test=last")
	c.Data.Kind, c.Classes = runs.PairsKind, nil
	c.Table = must.Get(runs.PutVocabularies(dir, &vocabularies))(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	defer w.Close()
	require.NoError(t, w.Epoch(runs.Metrics{Epoch: 1}, runs.Timing{Epoch: 1}, nil, &runs.Checkpoint{Epoch: 1}, false))
	require.NoError(t, w.Tested(runs.Metrics{Epoch: 1, TestAcc: runs.Number(99), TestExact: runs.Number(50), TestBLEU: runs.Number(75)}))
	require.NoError(t, w.Finish(runs.Translations{{Pair: "test/0001", Greedy: "le tapis"}}))
	return must.Get(runs.Lookup(dir, &c))(t)
}

var vocabularies = runs.Vocabularies{
	Source: []string{"the", "carpet"},
	Target: []string{"le", "tapis", "l'", "été"},
}

func TestTranslationRun(t *testing.T) {
	dir := t.TempDir()
	r := translator(t, dir)
	require.Equal(t, runs.Pairs, r.Config.Task())
	list := must.Get(r.Translations())(t)
	require.Equal(t, "le tapis", list[0].Greedy)
	require.ErrorIs(t, must.Fail(r.Predictions()), fs.ErrNotExist)
	m := must.Get(r.Chosen())(t)
	require.Equal(t, []float64{50, 75}, []float64{*m.TestExact, *m.TestBLEU})
	v := must.Get(r.Vocabularies())(t)
	require.Equal(t, &vocabularies, v)
	require.ErrorContains(t, must.Fail(r.Table()), "it translates pairs")

	left := must.Get(r.Remove())(t)
	require.Empty(t, left)
}

func TestVocabulariesErrors(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, must.Fail(runs.PutVocabularies(dir, &runs.Vocabularies{Source: []string{"the"}})), "vocabularies of 1 and 0 words")

	r := translator(t, dir)
	path := filepath.Join(dir, ".store", r.Config.Table+".safetensors.zst")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	_, err := r.Vocabularies()
	var damaged *runs.DamagedError
	require.ErrorAs(t, err, &damaged)

	c := config(t, "epochs=1")
	require.NoError(t, train(dir, c))
	reviews := must.Get(runs.Lookup(dir, &c))(t)
	require.ErrorContains(t, must.Fail(reviews.Vocabularies()), "does not translate")
}
