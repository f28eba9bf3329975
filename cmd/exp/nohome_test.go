package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// Without a home there is no data folder: the sample and what was trained on it need none,
// and what does says what to set. Nothing appears but the runs.
func TestNoHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "EXP_DATA"} {
		t.Setenv(name, "")
	}
	t.Chdir(t.TempDir())
	for _, c := range [][]string{
		{"run", "tme9-mean", "data.limit=20", "epochs=1"}, {}, {"show", "tme9-mean"}, {"show", "@last"}, {"run", "tme9-mean", "--dry-run"},
		{"predict", "@last", "data=sample"}, {"reproduce", "@last"}, {"data", "info", "sample"}, {"report"},
	} {
		ok(t, c...)
	}
	for _, c := range [][]string{
		{"data", "list"}, {"data", "fetch", "imdb"}, {"data", "add", "x.csv", "--name", "x"}, {"data", "remove", "x"}, {"data", "check"},
		{"run", "tme9-mean", "data=imdb"}, {"run", "tme9-mean", "data=mine"}, {"run", "tme9-mean", "data=sample", "vectors=glove50"}, {"data", "info", "imdb"},
	} {
		require.Contains(t, on(t, 0, false, exitFailed, c...), "--data-dir or $EXP_DATA", "exp %q", c)
	}
	entries := must.Get(os.ReadDir("."))(t)
	require.Len(t, entries, 1)
}
