package folder_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/fixture"
)

// Whichever change to the disk fails, what was there is there, and nothing more.
func TestOwnFullDisk(t *testing.T) {
	file := fixture.Put(t, t.TempDir(), "a.csv", fixture.CSV(5, "a", "b"))
	other := fixture.Put(t, t.TempDir(), "b.csv", fixture.CSV(6, "a", "b"))
	for n := 0; ; n += fixture.Every(4) {
		require.Less(t, n, 200)
		dir, first, err := addOwn(t, own.Data{Files: []string{file}})
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
		_, err = folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{other}, Force: true}, folder.Options{Warn: func(error) { warned = true }})
		restore()
		noStage(t, dir)
		c, openErr := folder.Corpus(ctx, dir, "mine", folder.Options{})
		require.NoError(t, openErr)
		if err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.ErrorContains(t, err, "make room on the disk of "+dir)
			assert.Contains(t, []int{first.Train, 10}, c.Train.Len(), "the old one or the new one, whole")
			continue
		}
		assert.Equal(t, 10, c.Train.Len())
		if !warned {
			return // nothing failed
		}
	}
}

func TestOwnReadOnly(t *testing.T) {
	file := fixture.Put(t, t.TempDir(), "a.csv", fixture.CSV(5, "a", "b"))
	dir := t.TempDir()
	for _, fault := range []error{syscall.EROFS, fs.ErrPermission} {
		restore := fsx.Inject(func(fsx.Op) error { return fault })
		_, err := folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{file}}, folder.Options{})
		restore()
		assert.ErrorIs(t, err, fault)
		assert.ErrorContains(t, err, dir)
		assert.ErrorContains(t, err, "choose another data folder by --data-dir")
		untouched(t, dir)
	}
}

func TestOwnOneAtATime(t *testing.T) {
	file := fixture.Put(t, t.TempDir(), "a.csv", fixture.CSV(5, "a", "b"))
	dir := t.TempDir()
	lock, err := fsx.In(dir).Acquire("lock")
	require.NoError(t, err)
	_, err = folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{file}}, folder.Options{})
	assert.ErrorContains(t, err, "another process is adding")
	untouched(t, dir)
	require.NoError(t, lock.Release())
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, err = folder.AddReviews(stopped, dir, own.Data{Name: "mine", Files: []string{file}}, folder.Options{})
	assert.ErrorIs(t, err, context.Canceled)
	untouched(t, dir)
}

// The data folder goes away while something is added to it, or read from it.
func TestOwnFolderDeleted(t *testing.T) {
	file := fixture.Put(t, t.TempDir(), "a.csv", fixture.CSV(5, "a", "b"))
	for n := 0; ; n += fixture.Every(4) {
		dir := filepath.Join(t.TempDir(), "data")
		seen := 0
		restore := fsx.Inject(func(op fsx.Op) error {
			if seen++; seen == n+1 {
				return os.RemoveAll(dir)
			}
			return nil
		})
		_, err := folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{file}}, folder.Options{})
		restore()
		if seen <= n {
			require.NoError(t, err)
			break
		}
	}
	dir, _, err := addOwn(t, own.Data{Files: []string{file}})
	require.NoError(t, err)
	src, err := folder.Source(dir, "mine", folder.Options{})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	assert.ErrorIs(t, src.Reviews(ctx, func(dataset.Part, dataset.Review) error { return nil }), os.ErrNotExist)
	_, err = folder.Corpus(ctx, dir, "mine", folder.Options{})
	assert.ErrorAs(t, err, new(*folder.NotInstalledError))
}
