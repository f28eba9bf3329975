package dataset_test

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
		a := must.Get(folder.Add(ctx, dir, file, false, folder.Options{}))(t)
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
	got := must.Get(check(t, dir))(t)
	require.Len(t, got, 3)
	for _, a := range added {
		c := got[a.Name]
		assert.Equal(t, a.Digest, c.Digest)
	}
	assert.Equal(t, dataset.Published("imdb"), got["imdb"].Published)

	// A damaged file, and one put there by hand.
	fixture.Put(t, dir, "glove.6B.50d.txt.gz", fixture.Gzip(t, []byte(fixture.GloVe(50)))[:300])
	fixture.Put(t, dir, "glove.6B.300d.txt", []byte(fixture.GloVe(300)))
	got, err := check(t, dir)
	require.ErrorContains(t, err, "glove.6B.50d.txt.gz")
	assert.ErrorContains(t, got["glove50"].Err, "glove.6B.50d.txt.gz")
	assert.NoError(t, got["glove100"].Err)
	assert.NoError(t, got["glove300"].Err)
}

func TestRemove(t *testing.T) {
	dir, added := addAll(t)
	c := fixture.Open(t, dir, folder.Options{})
	for _, name := range []string{"glove50", "glove100"} {
		must.Get(folder.Vectors(ctx, dir, name, c, folder.Options{}))(t)
	}
	fixture.Put(t, dir, "notes.txt", []byte("mine"))
	cached := func() int {
		files := must.Get(filepath.Glob(filepath.Join(dir, "cache", "*.*")))(t)
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
		gone := must.Get(folder.Remove(dir, x.name))(t)
		assert.Len(t, gone, x.gone)
		assert.Equal(t, x.cached, cached(), x.name)
	}
	assert.FileExists(t, filepath.Join(dir, "notes.txt"))
	items := must.Get(folder.Installed(dir))(t)
	assert.Empty(t, items)
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

	lock := must.Get(fsx.In(dir).Acquire("lock"))(t)
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
	file := put(t, "a.csv", fixture.CSV(5, "a", "b"))
	other := put(t, "b.csv", fixture.CSV(6, "a", "b"))
	for n := 0; ; n += fixture.Every(4) {
		require.Less(t, n, 200)
		dir, first := must.Get2(addOwn(t, own.Data{Files: []string{file}}))(t)
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
		_, err := folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{other}, Force: true}, folder.Options{Warn: func(error) { warned = true }})
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
	file := put(t, "a.csv", fixture.CSV(5, "a", "b"))
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
