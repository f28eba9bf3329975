package dataset_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/fsx"
)

// Whichever change to a full or read-only disk fails while an archive is added,
// what was there is there, whole.
func TestAddFullDisk(t *testing.T) {
	file := put(t, t.TempDir(), "new", gz(t, tarOf(t, tiny)))
	before := put(t, t.TempDir(), "old", gz(t, tarOf(t, tiny[:len(tiny)-1])))
	for n := 0; ; n++ {
		require.Less(t, n, 200)
		dir := t.TempDir()
		old, err := dataset.Add(ctx, dir, before, dataset.OpenOptions{})
		require.NoError(t, err)
		seen, warned := 0, false
		restore := fsx.Inject(func(op fsx.Op) error {
			if op.Do == fsx.Remove {
				return nil // a full disk lets go
			}
			if seen++; seen > n {
				return syscall.ENOSPC
			}
			return nil
		})
		_, err = dataset.Add(ctx, dir, file, dataset.OpenOptions{Warn: func(error) { warned = true }})
		restore()
		assert.NoDirExists(t, filepath.Join(dir, "incoming"))
		c := open(t, dir, dataset.OpenOptions{Extra: true})
		if err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			assert.Contains(t, []int{old.Extra, 2}, c.Extra.Len())
			continue
		}
		assert.Equal(t, 2, c.Extra.Len())
		if !warned {
			return // nothing failed
		}
	}
}

// The data folder goes away while something is added to it.
func TestAddFolderDeleted(t *testing.T) {
	file := put(t, t.TempDir(), "a.tar.gz", gz(t, tarOf(t, tiny)))
	for n := 0; ; n++ {
		require.Less(t, n, 200)
		dir := filepath.Join(t.TempDir(), "data")
		seen := 0
		restore := fsx.Inject(func(fsx.Op) error {
			if seen++; seen == n+1 {
				return os.RemoveAll(dir)
			}
			return nil
		})
		_, err := dataset.Add(ctx, dir, file, dataset.OpenOptions{})
		restore()
		if seen <= n {
			require.NoError(t, err)
			return
		}
	}
}

// The archive goes away between two looks at it, and while it is read.
func TestReadDeleted(t *testing.T) {
	dir := imdb(t, tiny)
	src, err := dataset.OpenSource(dir, "imdb", dataset.OpenOptions{})
	require.NoError(t, err)
	first := true
	err = src.Reviews(ctx, func(dataset.Part, dataset.Review) error {
		if first {
			require.NoError(t, os.RemoveAll(dir))
			first = false
		}
		return nil
	})
	if err != nil { // where open files go with their names
		assert.ErrorContains(t, err, dir)
	}
	assert.ErrorIs(t, src.Reviews(ctx, func(dataset.Part, dataset.Review) error { return nil }), os.ErrNotExist)
	_, err = dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{})
	assert.ErrorAs(t, err, new(*dataset.NotInstalledError))
}
