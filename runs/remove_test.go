package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	a, b := trained(t, dir), trained(t, dir, "seed=2")
	require.Greater(t, a.Size(), int64(3000))
	notes := filepath.Join(a.Path, "notes.txt")
	require.NoError(t, os.WriteFile(notes, nil, 0o666))
	left := must.Get(a.Remove())(t)
	require.Equal(t, []string{notes}, left)
	entries := must.Get(os.ReadDir(a.Path))(t)
	require.Len(t, entries, 1, "only what is not the run's")

	left = must.Get(b.Remove())(t)
	require.Empty(t, left)
	require.NoDirExists(t, b.Path)
	require.DirExists(t, filepath.Dir(b.Path), "there is something else in it")

	c := trained(t, dir, "seed=3")
	require.NoError(t, os.RemoveAll(a.Path))
	must.Get(c.Remove())(t)
	require.NoDirExists(t, filepath.Dir(c.Path))
	require.DirExists(t, dir)
}

// A removal that stops anywhere leaves a run or none, and can be repeated.
func TestRemoveFails(t *testing.T) {
	for n := 0; ; n++ {
		dir := t.TempDir()
		r := trained(t, dir)
		left := n
		restore := fsx.Inject(func(op fsx.Op) error {
			if op.Do == fsx.Remove {
				left--
			}
			if left < 0 {
				return errDead
			}
			return nil
		})
		_, err := r.Remove()
		restore()
		if err == nil {
			require.Greater(t, n, 9, "files of a run")
			return
		}
		require.ErrorIs(t, err, errDead)
		require.NoError(t, train(dir, config(t)), "whatever is left, the run can be had again")
	}
}

func TestRemoveRefuses(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	r := must.Get(runs.Lookup(dir, &c))(t)
	require.Equal(t, os.Getpid(), r.Held().PID)
	_, err := r.Remove()
	held, ok := errors.AsType[*fsx.HeldError](err)
	require.True(t, ok)
	require.Equal(t, os.Getpid(), held.PID)
	require.NoError(t, w.Close())
	require.Nil(t, r.Held())

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(r.Path, link))
	require.ErrorContains(t, must.Fail(runs.Open(link)), link+" is a symbolic link, not a folder")
	r.Path = link
	require.ErrorContains(t, must.Fail(r.Remove()), link+" is a symbolic link, not a folder")
}

func paths(list []runs.Unused) []string {
	var out []string
	for _, u := range list {
		out = append(out, filepath.Base(u.Path))
	}
	return out
}

// A damaged file of the store is written again by the next run that needs it.
func TestStoreIsMended(t *testing.T) {
	dir := t.TempDir()
	table := &runs.Table{Words: []string{"a"}, Rows: []float32{1}, Dim: 1, OOV: -1}
	digest := must.Get(runs.PutTable(dir, table))(t)
	file := filepath.Join(dir, ".store", digest+".safetensors.zst")
	good := must.Get(os.ReadFile(file))(t)
	for _, bad := range [][]byte{nil, good[:len(good)/2], append(good[:len(good)-1:len(good)-1], 0), append(good[:len(good):len(good)], 0)} {
		require.NoError(t, os.WriteFile(file, bad, 0o666))
		require.ErrorAs(t, must.Fail(runs.ReadTable(dir, digest)), new(*runs.DamagedError))
		must.Get(runs.PutTable(dir, table))(t)
		read := must.Get(runs.ReadTable(dir, digest))(t)
		require.Equal(t, table, read)
	}
}

func TestUnused(t *testing.T) {
	dir := t.TempDir()
	list := must.Get(runs.FindUnused(filepath.Join(dir, "nothing"), false))(t)
	require.Empty(t, list)
	table := func(x float32) string {
		return must.Get(runs.PutTable(dir, &runs.Table{Words: []string{"a"}, Rows: []float32{x}, Dim: 1, OOV: -1}))(t)
	}
	used, unused, fresh := table(1), table(2), table(3)
	store := filepath.Join(dir, ".store")
	old := time.Now().Add(-2 * time.Hour)
	for name := range map[string]bool{
		used + ".safetensors.zst": true, unused + ".safetensors.zst": true, "mine.safetensors.zst": true, ".x.1-1.aside": true,
	} {
		if _, err := os.Stat(filepath.Join(store, name)); err != nil {
			require.NoError(t, os.WriteFile(filepath.Join(store, name), nil, 0o666))
		}
		require.NoError(t, os.Chtimes(filepath.Join(store, name), old, old))
	}
	c := config(t, "epochs=2")
	c.Table = used
	require.NoError(t, train(dir, c))
	unfinished := stopped(t, dir, config(t, "seed=2"), 2)
	folder := runs.Folder(dir, &c)
	require.NoError(t, os.WriteFile(filepath.Join(folder, ".last.safetensors.1-2.aside"), nil, 0o666))

	list = must.Get(runs.FindUnused(dir, false))(t)
	require.ElementsMatch(t, []string{".last.safetensors.1-2.aside", "prev.safetensors", unused + ".safetensors.zst", ".x.1-1.aside"}, paths(list))
	var size int64
	for _, u := range list {
		size += u.Bytes
	}
	require.Positive(t, size)
	require.FileExists(t, filepath.Join(unfinished.Path, "step.safetensors"))

	// A run that begins meanwhile takes a table up again.
	table(2)
	for _, u := range list {
		if filepath.Base(u.Path) == unused+".safetensors.zst" {
			require.ErrorContains(t, u.Remove(), "was used in the meantime")
			continue
		}
		require.NoError(t, u.Remove())
		require.NoError(t, u.Remove(), "again")
	}
	list = must.Get(runs.FindUnused(dir, false))(t)
	require.Empty(t, list, "%s is too fresh", fresh)
	r, err := runs.Lookup(dir, &c)
	require.NoError(t, err)
	require.NoError(t, r.Verify())

	// A run that cannot be read may refer to any table; a damaged one needs the
	// checkpoint before.
	require.NoError(t, os.Chtimes(filepath.Join(store, unused+".safetensors.zst"), old, old))
	other := trained(t, dir, "seed=3")
	require.NoError(t, os.WriteFile(filepath.Join(unfinished.Path, "config.yaml"), []byte("format: 99\n"), 0o666))
	flip(t, filepath.Join(other.Path, "last.safetensors"), -1)
	list, err = runs.FindUnused(dir, false)
	require.ErrorContains(t, err, "format 99 is newer")
	require.Empty(t, list)
}
