package folder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// noStage checks that no folder of Stage is left.
func noStage(t *testing.T, dir string) {
	t.Helper()
	left := must.Get(filepath.Glob(filepath.Join(dir, ".incoming-*")))(t)
	assert.Empty(t, left)
}

// Folders that killed processes left go; folders of the user stay.
func TestStagingOfUsers(t *testing.T) {
	dir := t.TempDir()
	mine := []string{"incoming/thesis.txt", ".incoming-old/thesis.txt", "downloads/thesis.txt", "cache/thesis.txt"}
	for _, name := range mine {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777))
		fixture.Put(t, dir, name, []byte("mine"))
	}
	killed := ".incoming-fedcba9876543210"
	require.NoError(t, os.MkdirAll(filepath.Join(dir, killed), 0o777))
	fixture.Put(t, filepath.Join(dir, killed), "a.reviews.jsonl.gz", []byte("half"))

	file := fixture.Put(t, t.TempDir(), "a.csv", fixture.CSV(5, "a", "b"))
	must.Get(folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{file}}, folder.Options{}))(t)
	for _, name := range mine {
		assert.FileExists(t, filepath.Join(dir, name))
	}
	assert.NoDirExists(t, filepath.Join(dir, killed))
	left := must.Get(filepath.Glob(filepath.Join(dir, ".incoming-*")))(t)
	assert.Len(t, left, 1, "that of the user")
}

// Another archive takes the place of what is installed, or was put there by hand, only
// when it is told to.
func TestAddReplacesWhenTold(t *testing.T) {
	small := fixture.Put(t, t.TempDir(), "small.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny)))
	for _, there := range []string{"aclImdb.tar.gz", "aclImdb.tar", "aclImdb_v1.tar.gz"} {
		dir := t.TempDir()
		text := fixture.Tar(t, fixture.Official)
		if filepath.Ext(there) == ".gz" {
			text = fixture.Gzip(t, text)
		}
		fixture.Put(t, dir, there, text)
		_, err := folder.Add(ctx, dir, small, false, folder.Options{})
		require.ErrorContains(t, err, "data=imdb is installed in "+dir+" already, as "+there+": --force replaces it")
		got := must.Get(os.ReadFile(filepath.Join(dir, there)))(t)
		require.Equal(t, text, got)
		_, err = folder.Add(ctx, dir, filepath.Join(dir, there), false, folder.Options{})
		require.NoError(t, err, "the file that is there")
		must.Get(folder.Add(ctx, dir, small, true, folder.Options{}))(t)
		noStage(t, dir)
	}
}
