package runs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/runs"
)

// stopped trains a run until its checkpoint inside the given epoch is written.
func stopped(t *testing.T, dir string, c runs.Config, epoch int) *runs.Run {
	t.Helper()
	steps := 0
	restore := fsx.Inject(func(op fsx.Op) error {
		if op.Do == fsx.SyncDir && steps == epoch {
			return errDead
		}
		if op.Do == fsx.Rename && filepath.Base(op.Path) == "step.safetensors" {
			steps++
		}
		return nil
	})
	defer restore()
	require.ErrorIs(t, train(dir, c), errDead)
	r, err := runs.Lookup(dir, &c)
	require.NoError(t, err)
	return r
}

// flip changes one bit of the byte at a position of a file; a negative one counts from the end.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	if at < 0 {
		at += len(b)
	}
	b[at] ^= 1
	require.NoError(t, os.Remove(path)) // it may have another name
	require.NoError(t, os.WriteFile(path, b, 0o666))
}

// A run continues from its newest readable checkpoint, reports the unreadable ones, and has the
// same result.
func TestDamagedGoesOn(t *testing.T) {
	c := config(t, "epochs=4", "select=best")
	reference := t.TempDir()
	require.NoError(t, train(reference, c))
	want := contents(t, runs.Folder(reference, &c))
	for _, k := range []struct {
		name        string
		flip        map[string]int // a bit of which files, at which byte
		epoch, step int            // where it goes on
		finished    bool
	}{
		{"nothing", nil, 2, 1, false},
		{"inside", map[string]int{"step": -1}, 2, 0, false},
		{"last", map[string]int{"last": -1}, 1, 0, false},
		{"last, in its header", map[string]int{"last": 9}, 1, 0, false},
		{"last and inside", map[string]int{"last": -1, "step": 40}, 1, 0, false},
		{"last of a finished run", map[string]int{"last": -1}, 4, 0, true},
	} {
		t.Run(k.name, func(t *testing.T) {
			dir := t.TempDir()
			if k.finished {
				require.NoError(t, train(dir, c))
			} else {
				stopped(t, dir, c, 3)
			}
			for which, at := range k.flip {
				flip(t, filepath.Join(runs.Folder(dir, &c), which+".safetensors"), at)
			}
			if len(k.flip) > 0 || !k.finished {
				w, from, err := begin(dir, c)
				require.NoError(t, err)
				require.Equal(t, [2]int{k.epoch, k.step}, [2]int{from.Epoch, from.Step})
				for which := range k.flip {
					require.ErrorContains(t, w.Lost(), which+".safetensors is damaged")
				}
				if k.flip == nil {
					require.NoError(t, w.Lost())
				}
				require.NoError(t, w.Close())
			}
			require.NoError(t, train(dir, c))
			require.Equal(t, want, contents(t, runs.Folder(dir, &c)))
		})
	}
}

// A run that has lost its last checkpoint, but not the previous one, is damaged and not new: it
// continues from the previous one.
func TestLostLast(t *testing.T) {
	c, reference := config(t, "epochs=4", "select=best"), t.TempDir()
	require.NoError(t, train(reference, c))
	want := contents(t, runs.Folder(reference, &c))
	for _, epochs := range []int{1, 4} { // whole ones that are kept
		dir := t.TempDir()
		if epochs == 4 {
			require.NoError(t, train(dir, c))
		} else {
			stopped(t, dir, c, 3)
		}
		path := runs.Folder(dir, &c)
		require.NoError(t, os.Remove(filepath.Join(path, "last.safetensors")))
		r, err := runs.Open(path)
		require.NoError(t, err)
		require.Equal(t, runs.Damaged, r.Status.State)
		require.Contains(t, r.Status.Message, "last.safetensors is damaged: it is missing, but prev.safetensors, the one before, exists")
		require.True(t, runs.IsDamage(r.Verify()))
		all, err := r.Metrics()
		require.NoError(t, err)
		require.NotEmpty(t, all)

		w, from, err := runs.Resume(r, environment())
		require.NoError(t, err)
		require.Equal(t, epochs, from.Epoch)
		require.ErrorContains(t, w.Lost(), "it is missing")
		require.NoError(t, w.Close())
		require.NoError(t, train(dir, c))
		require.Equal(t, want, contents(t, path))
	}

	dir := t.TempDir()
	r := stopped(t, dir, c, 1) // no epoch is whole yet
	require.Equal(t, runs.Created, r.Status.State)
	require.ErrorIs(t, r.Verify(), os.ErrNotExist)
}

// Without a usable checkpoint the error says what is damaged.
func TestDamagedAll(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	r := stopped(t, dir, c, 3)
	for _, which := range []string{"last", "prev"} {
		flip(t, filepath.Join(r.Path, which+".safetensors"), -1)
	}
	err := train(dir, c)
	_, ok := errors.AsType[*runs.DamagedError](err)
	require.True(t, ok)
	require.ErrorContains(t, err, "last.safetensors is damaged: its checksum is ")
	require.ErrorContains(t, err, "prev.safetensors is damaged: ")
	require.NoError(t, os.Remove(filepath.Join(r.Path, "prev.safetensors")))
	require.ErrorContains(t, train(dir, c), "there is no checkpoint before it")
}

// A checkpoint inside an epoch that has been committed since does not count, nor one that does not
// follow the last epoch.
func TestStepOutOfTurn(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	r := stopped(t, dir, c, 2)
	inside := filepath.Join(r.Path, "step.safetensors")
	old, err := os.ReadFile(inside)
	require.NoError(t, err)
	stopped(t, dir, c, 1) // of this session: one epoch further
	require.NoError(t, os.WriteFile(inside, old, 0o666))
	w, from, err := begin(dir, c)
	require.NoError(t, err)
	defer w.Close()
	require.Equal(t, [2]int{2, 0}, [2]int{from.Epoch, from.Step})
	require.NoError(t, w.Lost())
	require.ErrorContains(t, w.Step(&runs.Checkpoint{Epoch: 1, Step: 1}), "checkpoint of epoch 1 and 1 steps after epoch 2")
	require.ErrorContains(t, w.Step(&runs.Checkpoint{Epoch: 2}), "0 steps after epoch 2")
}

// A checkpoint of a newer format is not damaged: the run does not continue from another one, and
// no file changes.
func TestNewerCheckpoint(t *testing.T) {
	for _, which := range []string{"last", "step"} {
		dir, c := t.TempDir(), config(t)
		r := stopped(t, dir, c, 3)
		path := filepath.Join(r.Path, which+".safetensors")
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		newer := runs.Reseal(bytes.Replace(whole, []byte(`"format":"1"`), []byte(`"format":"2"`), 1))
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, newer, 0o666))
		require.ErrorContains(t, train(dir, c), "written by a newer version of exp; update exp")
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, newer, left)
	}
}
