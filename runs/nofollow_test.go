//go:build !windows

package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// kept are all files of a run's folder.
var kept = []string{".lock", "config.yaml", "environment.json", "metrics.jsonl", "timing.jsonl", "entropy.jsonl", "predictions.tsv",
	"last.safetensors", "prev.safetensors", "best.safetensors", "step.safetensors", "test.json"}

// everything returns all that can be done with a run.
func everything(dir string, c runs.Config) map[string]func() error {
	path := runs.Folder(dir, &c)
	return map[string]func() error{
		"train": func() error { return train(dir, c) },
		"replace": func() error {
			w, err := runs.Replace(dir, c, environment())
			if err != nil {
				return err
			}
			return w.Close()
		},
		"remove": func() error {
			r, err := runs.Open(path)
			if err != nil {
				return err
			}
			_, err = r.Remove()
			return err
		},
		"read": func() error {
			r, err := runs.Open(path)
			if err != nil {
				return err
			}
			_, err1 := r.Metrics()
			_, err2 := r.Entropies()
			_, err3 := r.Timing()
			_, err4 := r.Predictions()
			_, err5 := r.Checkpoint(runs.Last)
			_, err6 := r.Checkpoint(runs.Best)
			_, err7 := r.Environments()
			r.Held()
			r.Size()
			return errors.Join(err1, err2, err3, err4, err5, err6, err7)
		},
	}
}

// If any file of a run is a link, to a file or to a free name, no operation on the run changes or
// creates the target.
func TestLinksAreNotFollowed(t *testing.T) {
	c := config(t, "select=best")
	for _, name := range kept {
		for what := range everything("", c) {
			t.Run(what+" "+name, func(t *testing.T) {
				dir, elsewhere := t.TempDir(), t.TempDir()
				stopped(t, dir, c, 2)
				file, victim := filepath.Join(runs.Folder(dir, &c), name), filepath.Join(elsewhere, "victim")
				content, err := os.ReadFile(file)
				if err != nil {
					content = []byte("of another\n")
				}
				require.NoError(t, os.WriteFile(victim, content, 0o600))
				before := must.Get(os.Stat(victim))(t)
				for _, to := range []string{victim, filepath.Join(elsewhere, "free")} {
					require.NoError(t, os.RemoveAll(file))
					require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
					require.NoError(t, os.Symlink(to, file))
					_ = everything(dir, c)[what]() // may be refused, or may replace the link itself
				}
				after := must.Get(os.Stat(victim))(t)
				assert.Equal(t, before.ModTime(), after.ModTime())
				got := must.Get(os.ReadFile(victim))(t)
				assert.Equal(t, content, got)
				assert.NoFileExists(t, filepath.Join(elsewhere, "free"))
			})
		}
	}
}

// A link in place of the lock or of a file of lines is an error that names it, before anything is removed.
func TestLinksAreNamed(t *testing.T) {
	c := config(t)
	for _, name := range []string{".lock", "metrics.jsonl", "timing.jsonl", "entropy.jsonl"} {
		for _, what := range []string{"train", "replace"} {
			dir := t.TempDir()
			stopped(t, dir, c, 2)
			file := filepath.Join(runs.Folder(dir, &c), name)
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "free"), file))
			before := must.Get(os.ReadDir(filepath.Dir(file)))(t)
			err := everything(dir, c)[what]()
			require.Len(t, must.Get(os.ReadDir(filepath.Dir(file)))(t), len(before))
			_, refused := errors.AsType[*fsx.KindError](err)
			require.True(t, refused, "%s %s: %v", what, name, err)
			require.ErrorContains(t, err, file+" is a symbolic link, not a regular file")
		}
	}
}

// The folder of runs may be a link, for example to another disk. The folders in it may not.
func TestLinkedFolders(t *testing.T) {
	c := config(t)
	table := &runs.Table{Words: []string{"a"}, Rows: []float32{1}, Dim: 1, OOV: -1}
	real := t.TempDir()
	dir := filepath.Join(t.TempDir(), "runs")
	require.NoError(t, os.Symlink(real, dir))
	require.NoError(t, train(dir, c))
	must.Get(runs.PutTable(dir, table))(t)
	require.NoError(t, everything(dir, c)["remove"]())
	require.NoDirExists(t, filepath.Join(real, c.Name))

	for _, level := range []string{c.Name, filepath.Join(c.Name, c.ID)} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		stopped(t, dir, c, 2)
		moved := filepath.Join(elsewhere, "moved")
		require.NoError(t, os.Rename(filepath.Join(dir, level), moved))
		require.NoError(t, os.Symlink(moved, filepath.Join(dir, level)))
		for what, do := range everything(dir, c) {
			err := do()
			require.ErrorContains(t, err, filepath.Join(dir, level)+" is a symbolic link, not a folder", what)
		}
	}

	dir, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, ".store")))
	require.ErrorContains(t, must.Fail(runs.PutTable(dir, table)), filepath.Join(dir, ".store")+" is a symbolic link, not a folder")
	left := must.Get(os.ReadDir(elsewhere))(t)
	require.Empty(t, left)
}
