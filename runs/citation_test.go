package runs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func TestCitation(t *testing.T) {
	dir := t.TempDir()
	c := config(t)
	require.NoError(t, train(dir, c))
	r := must.Get(runs.Lookup(dir, &c))(t)
	cited := must.Get(r.Citation())(t)
	require.Equal(t, "imdbexp:tme9-simple/"+r.Config.ID[:6]+"@"+cited.Metrics, cited.String())

	found := must.Get(runs.FindCited(dir, cited.String()))(t)
	require.Equal(t, r.Path, found.Path)

	// What follows the last commit does not count.
	metrics := filepath.Join(r.Path, "metrics.jsonl")
	text := must.Get(os.ReadFile(metrics))(t)
	require.NoError(t, os.WriteFile(metrics, append(text, "{\"epo"...), 0o666))
	again := must.Get(r.Citation())(t)
	require.Equal(t, cited, again)

	// One digit of one number is another citation.
	other := strings.Replace(string(text), `"test_loss":0.5`, `"test_loss":0.6`, 1)
	require.NotEqual(t, string(text), other)
	require.NoError(t, os.WriteFile(metrics, []byte(other), 0o666))
	_, err := runs.FindCited(dir, cited.String())
	require.ErrorContains(t, err, "has other metrics")

	require.NoError(t, os.WriteFile(metrics, text[:20], 0o666))
	_, err = r.Citation()
	require.ErrorContains(t, err, "bytes are missing")

	cited.ID = "000000"
	_, err = runs.FindCited(dir, cited.String())
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestCitationOfUnfinishedRun(t *testing.T) {
	dir := t.TempDir()
	c := config(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	require.NoError(t, w.Close())
	r := must.Get(runs.Lookup(dir, &c))(t)
	require.ErrorContains(t, must.Fail(r.Citation()), "cannot be cited: it is unfinished (epoch 0 of ")
	text := must.Get(r.MetricsText())(t)
	require.Empty(t, text)
	require.ErrorContains(t, must.Fail(runs.FindCited(dir, "imdbexp:tme9-simple/"+c.ID[:6]+"@01234567")), "cannot be cited")
}

func TestParseCitation(t *testing.T) {
	for _, bad := range []string{"", "imdbexp:", "tme9-lstm/4f2a91@9c31e07b", "imdbexp:tme9-lstm/4f2a9@9c31e07b",
		"imdbexp:tme9-lstm/4f2a91@9c31e07", "imdbexp:tme9-lstm/4F2A91@9c31e07b", "imdbexp:../4f2a91@9c31e07b", "imdbexp:a/b/4f2a91@9c31e07b"} {
		require.ErrorContains(t, must.Fail(runs.ParseCitation(bad)), "is not a citation; it must look like", bad)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := runs.Citation{
			Name:    rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._+-]{0,20}`).Draw(t, "name"),
			ID:      rapid.StringMatching(`[0-9a-f]{6,12}`).Draw(t, "id"),
			Metrics: rapid.StringMatching(`[0-9a-f]{8}`).Draw(t, "metrics"),
		}
		require.True(t, runs.IsCitation(c.String()))
		back := must.Get(runs.ParseCitation(c.String()))(t)
		require.Equal(t, c, back)
	})
}

func FuzzCitation(f *testing.F) {
	f.Add("imdbexp:tme9-lstm/4f2a91@9c31e07b")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := runs.ParseCitation(text); err == nil {
			require.Equal(t, strings.TrimSpace(text), c.String())
		}
	})
}
