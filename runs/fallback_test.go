package runs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// Without its checkpoint inside an epoch a run continues from its last whole epoch, or from the
// beginning.
func TestDropStep(t *testing.T) {
	for _, epoch := range []int{1, 3} {
		dir, c := t.TempDir(), config(t)
		reference := t.TempDir()
		require.NoError(t, train(reference, c))
		r := stopped(t, dir, c, epoch)
		w, from, err := runs.Resume(r, environment())
		require.NoError(t, err)
		require.Equal(t, [2]int{epoch - 1, 1}, [2]int{from.Epoch, from.Step})
		from, err = w.DropStep()
		require.NoError(t, err)
		require.Equal(t, epoch == 1, from == nil)
		if from != nil {
			require.Equal(t, [2]int{epoch - 1, 0}, [2]int{from.Epoch, from.Step})
		}
		require.NoFileExists(t, filepath.Join(r.Path, "step.safetensors"))
		require.NoError(t, w.Close())
		require.NoError(t, train(dir, c))
		require.Equal(t, contents(t, runs.Folder(reference, &c))["last.safetensors"], contents(t, r.Path)["last.safetensors"])
	}
}

// A damaged shorter run is extended from its previous checkpoint. Without one nothing is created.
func TestExtendDamaged(t *testing.T) {
	dir, reference := t.TempDir(), t.TempDir()
	longer := config(t, "epochs=4", "select=best")
	require.NoError(t, train(reference, longer))
	shorter := trained(t, dir, "epochs=2", "select=best")
	flip(t, filepath.Join(shorter.Path, "last.safetensors"), -1)
	w, from, err := runs.Extend(dir, longer, environment(), shorter)
	require.NoError(t, err)
	require.Equal(t, 2, from.Epoch)
	require.NoError(t, w.Close())
	require.NoError(t, train(dir, longer))
	require.Equal(t, contents(t, runs.Folder(reference, &longer)), contents(t, runs.Folder(dir, &longer)))

	for _, name := range []string{"best.safetensors", "prev.safetensors"} {
		flip(t, filepath.Join(shorter.Path, name), -1)
		c := config(t, "epochs=5", "select=best")
		_, _, err = runs.Extend(dir, c, environment(), shorter)
		require.True(t, runs.IsDamage(err), err)
		require.NoDirExists(t, runs.Folder(dir, &c))
	}
}

// An unreadable environment.json is not overwritten, because the earlier sessions would be lost.
// Once it is restored or removed, the run can be resumed.
func TestResumeKeepsEnvironments(t *testing.T) {
	for _, mend := range []func(file string, b []byte) error{
		func(file string, b []byte) error { return os.WriteFile(file, b, 0o666) },
		func(file string, _ []byte) error { return os.Remove(file) },
	} {
		dir, c := t.TempDir(), config(t)
		r := stopped(t, dir, c, 2)
		file := filepath.Join(r.Path, "environment.json")
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, whole[:len(whole)-9], 0o666))
		_, _, err = runs.Resume(r, environment())
		require.ErrorContains(t, err, "environment.json: ")
		require.ErrorContains(t, err, "put it back, or remove it")
		cut, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, whole[:len(whole)-9], cut)
		require.NoError(t, mend(file, whole))
		require.NoError(t, train(dir, c))
	}
}
