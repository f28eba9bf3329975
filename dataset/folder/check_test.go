package folder_test

import (
	"io/fs"
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
	"imdbexp/internal/testkit/must"
)

// addAll adds reviews and vectors of two dimensions to a new data folder.
func addAll(t *testing.T) (dir string, added []folder.Added) {
	dir, from := t.TempDir(), t.TempDir()
	for _, file := range []string{
		fixture.Put(t, from, "a.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny))),
		fixture.Put(t, from, "v.gz", fixture.Gzip(t, []byte(fixture.GloVe(50)))),
		fixture.Put(t, from, "v.txt", []byte(fixture.GloVe(100))),
	} {
		a, err := folder.Add(ctx, dir, file, false, folder.Options{})
		require.NoError(t, err)
		added = append(added, a...)
	}
	return dir, added
}

func check(t *testing.T, dir string) (out map[string]folder.Checked, err error) {
	out = map[string]folder.Checked{}
	err = folder.Check(ctx, dir, folder.Options{}, func(c folder.Checked) { out[c.Name] = c })
	return out, err
}

func TestCheck(t *testing.T) {
	dir, added := addAll(t)
	got, err := check(t, dir)
	require.NoError(t, err)
	require.Len(t, got, 3)
	for _, a := range added {
		c := got[a.Name]
		assert.Equal(t, []string{a.Digest, a.Digest}, []string{c.Digest, c.Recorded})
	}
	assert.Equal(t, dataset.Published("imdb"), got["imdb"].Published)

	// Another, sound archive in its place; a damaged one; one put there by hand.
	fixture.Put(t, dir, "aclImdb.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny[:len(fixture.Tiny)-1])))
	fixture.Put(t, dir, "glove.6B.50d.txt.gz", fixture.Gzip(t, []byte(fixture.GloVe(50)))[:300])
	fixture.Put(t, dir, "glove.6B.300d.txt", []byte(fixture.GloVe(300)))
	got, err = check(t, dir)
	require.ErrorContains(t, err, "damaged, or another version")
	assert.ErrorContains(t, got["imdb"].Err, "aclImdb.tar.gz: the content of imdb has the digest")
	assert.ErrorContains(t, got["glove50"].Err, "glove.6B.50d.txt.gz")
	assert.NoError(t, got["glove100"].Err)
	assert.NoError(t, got["glove300"].Err)
	assert.Empty(t, got["glove300"].Recorded)
}

func TestBadRecords(t *testing.T) {
	dir, _ := addAll(t)
	fixture.Put(t, dir, "installed.json", []byte("{"))
	_, err := check(t, dir)
	assert.ErrorContains(t, err, "installed.json")
	assert.ErrorContains(t, err, "remove it")
	_, err = folder.Add(ctx, dir, filepath.Join(dir, "aclImdb.tar.gz"), true, folder.Options{})
	assert.ErrorContains(t, err, "installed.json")
}

func TestRemove(t *testing.T) {
	dir, added := addAll(t)
	c := fixture.Open(t, dir, folder.Options{})
	for _, name := range []string{"glove50", "glove100"} {
		_, err := folder.Vectors(ctx, dir, name, c, folder.Options{})
		require.NoError(t, err)
	}
	fixture.Put(t, dir, "notes.txt", []byte("mine"))
	cached := func() int {
		files, err := filepath.Glob(filepath.Join(dir, "cache", "*.*"))
		require.NoError(t, err)
		return len(files)
	}
	require.Equal(t, 6, cached()) // a stamp each, the corpus, vectors twice

	for _, x := range []struct {
		name   string
		gone   int
		cached int
	}{
		{"glove50", 1, 4},
		{"imdb", 1, 1}, // the vectors of its words, too
		{"glove", 1, 0},
	} {
		gone, err := folder.Remove(dir, x.name)
		require.NoError(t, err)
		assert.Len(t, gone, x.gone)
		assert.Equal(t, x.cached, cached(), x.name)
	}
	assert.FileExists(t, filepath.Join(dir, "notes.txt"))
	items, err := folder.Installed(dir)
	require.NoError(t, err)
	assert.Empty(t, items)
	noted, err := folder.Records(dir)
	require.NoError(t, err)
	assert.Empty(t, noted)
	assert.Len(t, added, 3)
}

func TestRemoveRefuses(t *testing.T) {
	dir, _ := addAll(t)
	for name, want := range map[string]string{
		"sample":   "part of the program",
		"glove200": "glove200 is not installed in " + dir + ". Installed: imdb, glove50, glove100",
		"../x":     "../x is not installed",
		"":         "is not installed",
	} {
		_, err := folder.Remove(dir, name)
		assert.ErrorContains(t, err, want)
	}
	_, err := folder.Remove(filepath.Join(dir, "none"), "imdb")
	assert.ErrorContains(t, err, "Installed: nothing")
	assert.NoDirExists(t, filepath.Join(dir, "none"))

	lock, err := fsx.In(dir).Acquire("lock")
	require.NoError(t, err)
	_, err = folder.Remove(dir, "imdb")
	assert.ErrorContains(t, err, "wait for it to end")
	require.NoError(t, lock.Release())
}

func TestAddExpected(t *testing.T) {
	dir := t.TempDir()
	file := fixture.Put(t, dir, "new/v", fixture.Gzip(t, []byte(fixture.GloVe(50))))
	for want, x := range map[string][2]string{"contains glove50 instead of imdb": {"imdb"}, "instead of 00: damaged, or another": {"glove50", "00"}} {
		assert.ErrorContains(t, must.Fail(folder.AddExpected(ctx, dir, file, x[0], x[1], folder.Options{})), want)
	}
	assert.Empty(t, must.Get(folder.Installed(dir))(t))
	must.Get(folder.AddExpected(ctx, dir, file, "glove50", "", folder.Options{}))(t)
}

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
