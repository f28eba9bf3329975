package runs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// lengthened are changes that make a file of lines longer than the checkpoint says. Truncated to
// that length, the file would end inside a line or hold another epoch.
var lengthened = map[string]func(b []byte) []byte{
	"ends of lines": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
	"a digit":       func(b []byte) []byte { return bytes.Replace(b, []byte(`:0.5`), []byte(`:0.51`), 1) },
	"a line twice": func(b []byte) []byte {
		first, _, _ := bytes.Cut(b, []byte("\n"))
		return append(append(bytes.Clone(first), '\n'), b...)
	},
}

// Metrics that have become longer are damage, and no other epoch replaces the chosen one.
func TestLongerMetricsAreDamage(t *testing.T) {
	for name, change := range lengthened {
		t.Run(name, func(t *testing.T) {
			r := trained(t, t.TempDir())
			rewrite(t, filepath.Join(r.Path, "metrics.jsonl"), change)
			r, err := runs.Open(r.Path)
			require.NoError(t, err)
			_, err = r.Chosen()
			require.ErrorContains(t, err, "metrics.jsonl")
			require.True(t, runs.IsDamage(err), err)
			require.True(t, runs.IsDamage(r.CheckLines()))
			_, err = r.Citation()
			require.Error(t, err)
			if name != "a line twice" { // which takes all lines to see
				require.Equal(t, runs.Damaged, r.Status.State)
			}
		})
	}
}

// A run whose lines cannot be truncated where its checkpoint says is neither resumed nor extended:
// its files stay as they are.
func TestLongerLinesAreNotCut(t *testing.T) {
	for _, file := range []string{"metrics.jsonl", "entropy.jsonl"} {
		dir, c := t.TempDir(), config(t, "epochs=4")
		r := stopped(t, dir, c, 3)
		rewrite(t, filepath.Join(r.Path, file), lengthened["ends of lines"])
		before := every(t, r.Path)
		_, _, err := runs.Resume(r, environment())
		require.ErrorContains(t, err, file)
		require.True(t, runs.IsDamage(err), err)
		require.Equal(t, before, every(t, r.Path))

		shorter := trained(t, dir, "epochs=2", "seed=2")
		rewrite(t, filepath.Join(shorter.Path, file), lengthened["ends of lines"])
		longer := config(t, "epochs=3", "seed=2")
		_, _, err = runs.Extend(dir, longer, environment(), shorter)
		require.True(t, runs.IsDamage(err), err)
		require.NoDirExists(t, runs.Folder(dir, &longer))
	}
}

// If only the last checkpoint is damaged, training can continue; without whole lines it cannot.
func TestRestorable(t *testing.T) {
	r := trained(t, t.TempDir())
	require.True(t, r.Restorable())
	flip(t, filepath.Join(r.Path, "last.safetensors"), -1)
	require.True(t, r.Restorable())
	require.NoError(t, os.Truncate(filepath.Join(r.Path, "metrics.jsonl"), 5))
	require.False(t, r.Restorable())
}

// every returns the files of a folder except the lock, which names the last process that took it.
func every(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		out[e.Name()] = string(b)
	}
	delete(out, ".lock")
	return out
}

func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, change(b), 0o666))
}
