package runs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// Checkpoints without a configuration are reported, and only Replace overwrites them.
func TestWithoutConfiguration(t *testing.T) {
	dir, c := t.TempDir(), config(t, "epochs=4")
	r := stopped(t, dir, c, 3)
	whole, err := os.ReadFile(filepath.Join(r.Path, "config.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(r.Path, "config.yaml")))
	before := every(t, r.Path)

	_, err = runs.Lookup(dir, &c)
	require.NotErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "config.yaml is damaged: it is missing, but step.safetensors of its run exists")
	list, err := runs.List(dir)
	require.Empty(t, list)
	require.Len(t, runs.Unreadable(err), 1)
	_, err = runs.FindUnused(dir, false)
	require.Error(t, err, "its words may still be wanted")
	_, err = runs.Create(dir, c, environment())
	require.True(t, runs.IsDamage(err), err)
	require.Equal(t, before, every(t, r.Path))

	require.NoError(t, os.WriteFile(filepath.Join(r.Path, "config.yaml"), whole, 0o666))
	require.NoError(t, train(dir, c))
	require.NoError(t, os.Remove(filepath.Join(r.Path, "config.yaml")))
	w, err := runs.Replace(dir, c, environment())
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

// A folder without a configuration and without results does not prevent a new run.
func TestBeforeConfiguration(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	path := runs.Folder(dir, &c)
	require.NoError(t, os.MkdirAll(path, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(path, "environment.json"), []byte("{"), 0o666))
	_, err := runs.Open(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	list, err := runs.List(dir)
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, train(dir, c))
}
