package folder_test

import (
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
