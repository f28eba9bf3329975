package folder_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/fixture"
)

// Whichever change to a full or read-only disk fails while an archive is added,
// what was there is there, whole.
func TestAddFullDisk(t *testing.T) {
	file := fixture.Put(t, t.TempDir(), "new", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny)))
	before := fixture.Put(t, t.TempDir(), "old", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny[:len(fixture.Tiny)-1])))
	for n := 0; ; n += fixture.Every(4) {
		require.Less(t, n, 200)
		dir := t.TempDir()
		old, err := folder.Add(ctx, dir, before, false, folder.Options{})
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
		_, err = folder.Add(ctx, dir, file, true, folder.Options{Warn: func(error) { warned = true }})
		restore()
		noStage(t, dir)
		c := fixture.Open(t, dir, folder.Options{Extra: true})
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
	file := fixture.Put(t, t.TempDir(), "a.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny)))
	for n := 0; ; n += fixture.Every(4) {
		require.Less(t, n, 200)
		dir := filepath.Join(t.TempDir(), "data")
		seen := 0
		restore := fsx.Inject(func(fsx.Op) error {
			if seen++; seen == n+1 {
				return os.RemoveAll(dir)
			}
			return nil
		})
		_, err := folder.Add(ctx, dir, file, false, folder.Options{})
		restore()
		if seen <= n {
			require.NoError(t, err)
			return
		}
	}
}

// The archive goes away between two looks at it, and while it is read.
func TestReadDeleted(t *testing.T) {
	dir := fixture.IMDB(t, fixture.Tiny)
	src, err := folder.Source(dir, "imdb", folder.Options{})
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
	_, err = folder.Corpus(ctx, dir, "imdb", folder.Options{})
	assert.ErrorAs(t, err, new(*folder.NotInstalledError))
}
