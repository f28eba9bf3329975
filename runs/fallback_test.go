package runs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

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
		whole := must.Get(os.ReadFile(file))(t)
		require.NoError(t, os.WriteFile(file, whole[:len(whole)-9], 0o666))
		_, _, err := runs.Resume(r, environment())
		require.ErrorContains(t, err, "environment.json: ")
		require.ErrorContains(t, err, "put it back, or remove it")
		cut := must.Get(os.ReadFile(file))(t)
		require.Equal(t, whole[:len(whole)-9], cut)
		require.NoError(t, mend(file, whole))
		require.NoError(t, train(dir, c))
	}
}

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
	return must.Get(runs.Lookup(dir, &c))(t)
}

const gone = 1 << 30

// flip changes one bit of the byte at a position of a file; a negative one counts from the end.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	require.NoError(t, os.Remove(path)) // it may have another name
	switch {
	case at == gone:
		return
	case at < 0:
		at += len(b)
	}
	b[at] ^= 1
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
		flip        map[string]int // a bit of which files, at which byte; gone: the file is lost
		epoch, step int            // where it goes on
		finished    bool
	}{
		{"nothing", nil, 2, 1, false},
		{"inside", map[string]int{"step": -1}, 2, 0, false},
		{"last", map[string]int{"last": -1}, 1, 0, false},
		{"last, in its header", map[string]int{"last": 9}, 1, 0, false},
		{"last and inside", map[string]int{"last": -1, "step": 40}, 1, 0, false},
		{"last of a finished run", map[string]int{"last": -1}, 4, 0, true},
		{"lost last", map[string]int{"last": gone}, 1, 0, false},
		{"lost last of a finished run", map[string]int{"last": gone}, 4, 0, true},
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
				w, from := must.Get2(begin(dir, c))(t)
				require.Equal(t, [2]int{k.epoch, k.step}, [2]int{from.Epoch, from.Step})
				for which, at := range k.flip {
					want := which + ".safetensors is damaged"
					if at == gone {
						want += ": it is missing, but prev.safetensors, the one before, exists"
					}
					require.ErrorContains(t, w.Lost(), want)
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

// A checkpoint of a newer format is not damaged: the run does not continue from another one, and
// no file changes.
func TestNewerCheckpoint(t *testing.T) {
	for _, which := range []string{"last", "step"} {
		dir, c := t.TempDir(), config(t)
		r := stopped(t, dir, c, 3)
		path := filepath.Join(r.Path, which+".safetensors")
		whole := must.Get(os.ReadFile(path))(t)
		newer := runs.Reseal(bytes.Replace(whole, []byte(`"format":"1"`), []byte(`"format":"2"`), 1))
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, newer, 0o666))
		require.ErrorContains(t, train(dir, c), "written by a newer version of exp; update exp")
		left := must.Get(os.ReadFile(path))(t)
		require.Equal(t, newer, left)
	}
}

// Checkpoints without a configuration are reported, and only Replace overwrites them.
func TestWithoutConfiguration(t *testing.T) {
	dir, c := t.TempDir(), config(t, "epochs=4")
	r := stopped(t, dir, c, 3)
	whole := must.Get(os.ReadFile(filepath.Join(r.Path, "config.yaml")))(t)
	require.NoError(t, os.Remove(filepath.Join(r.Path, "config.yaml")))
	before := every(t, r.Path)

	_, err := runs.Lookup(dir, &c)
	require.NotErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "config.yaml is damaged: it is missing, but step.safetensors of its run exists")
	list, err := runs.List(dir)
	require.Empty(t, list)
	require.Len(t, runs.Unreadable(err), 1)
	_, err = runs.Create(dir, c, environment())
	require.True(t, runs.IsDamage(err), err)
	require.Equal(t, before, every(t, r.Path))

	require.NoError(t, os.WriteFile(filepath.Join(r.Path, "config.yaml"), whole, 0o666))
	require.NoError(t, train(dir, c))
	require.NoError(t, os.Remove(filepath.Join(r.Path, "config.yaml")))
	w := must.Get(runs.Replace(dir, c, environment()))(t)
	require.NoError(t, w.Close())
}

// A folder without a configuration and without results does not prevent a new run.
func TestBeforeConfiguration(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	path := runs.Folder(dir, &c)
	require.NoError(t, os.MkdirAll(path, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(path, "environment.json"), []byte("{"), 0o666))
	require.ErrorIs(t, must.Fail(runs.Open(path)), fs.ErrNotExist)
	list := must.Get(runs.List(dir))(t)
	require.Empty(t, list)
	require.NoError(t, train(dir, c))
}
