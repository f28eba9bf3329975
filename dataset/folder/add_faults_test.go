package folder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

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
	src := must.Get(folder.Source(dir, "imdb", folder.Options{}))(t)
	first := true
	err := src.Reviews(ctx, func(dataset.Part, dataset.Review) error {
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
	assert.ErrorAs(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{})), new(*folder.NotInstalledError))
}
