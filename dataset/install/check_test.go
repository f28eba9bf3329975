package dataset_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/fsx"
)

// install adds reviews and vectors of two dimensions to a new data folder.
func install(t *testing.T) (dir string, added []dataset.Added) {
	dir, from := t.TempDir(), t.TempDir()
	for _, file := range []string{
		put(t, from, "a.tar.gz", gz(t, tarOf(t, tiny))),
		put(t, from, "v.gz", gz(t, []byte(gloveText(50)))),
		put(t, from, "v.txt", []byte(gloveText(100))),
	} {
		a, err := dataset.Add(ctx, dir, file, dataset.OpenOptions{})
		require.NoError(t, err)
		added = append(added, a)
	}
	return dir, added
}

func check(t *testing.T, dir string) (out map[string]dataset.Checked, err error) {
	out = map[string]dataset.Checked{}
	err = dataset.Check(ctx, dir, dataset.OpenOptions{}, func(c dataset.Checked) { out[c.Name] = c })
	return out, err
}

func TestCheck(t *testing.T) {
	dir, added := install(t)
	got, err := check(t, dir)
	require.NoError(t, err)
	require.Len(t, got, 3)
	for _, a := range added {
		c := got[a.Name]
		assert.Equal(t, []string{a.Digest, a.Digest}, []string{c.Digest, c.Recorded})
	}
	assert.Equal(t, dataset.Published("imdb"), got["imdb"].Published)

	// Another, sound archive in its place; a damaged one; one put there by hand.
	put(t, dir, "aclImdb.tar.gz", gz(t, tarOf(t, tiny[:len(tiny)-1])))
	put(t, dir, "glove.6B.50d.txt.gz", gz(t, []byte(gloveText(50)))[:300])
	put(t, dir, "glove.6B.300d.txt", []byte(gloveText(300)))
	got, err = check(t, dir)
	require.ErrorAs(t, err, new(*dataset.ContentError))
	assert.ErrorContains(t, got["imdb"].Err, "aclImdb.tar.gz: the content of imdb has the digest")
	assert.ErrorContains(t, got["glove50"].Err, "glove.6B.50d.txt.gz")
	assert.NoError(t, got["glove100"].Err)
	assert.NoError(t, got["glove300"].Err)
	assert.Empty(t, got["glove300"].Recorded)
}

func TestBadRecords(t *testing.T) {
	dir, _ := install(t)
	put(t, dir, "installed.json", []byte("{"))
	_, err := check(t, dir)
	assert.ErrorContains(t, err, "installed.json")
	assert.ErrorContains(t, err, "remove it")
	_, err = dataset.Add(ctx, dir, filepath.Join(dir, "aclImdb.tar.gz"), dataset.OpenOptions{})
	assert.ErrorContains(t, err, "installed.json")
}

func TestRemove(t *testing.T) {
	dir, added := install(t)
	c := open(t, dir, dataset.OpenOptions{})
	for _, name := range []string{"glove50", "glove100"} {
		_, err := dataset.OpenVectors(ctx, dir, name, c, dataset.OpenOptions{})
		require.NoError(t, err)
	}
	put(t, dir, "downloads/glove.6B.50d.txt.gz.part", []byte("x"))
	put(t, dir, "downloads/glove.6B.50d.txt.gz.part.json", []byte("{}"))
	put(t, dir, "notes.txt", []byte("mine"))
	cached := func() int {
		files, err := filepath.Glob(filepath.Join(dir, "cache", "*.*"))
		require.NoError(t, err)
		return len(files)
	}
	require.Equal(t, 7, cached()) // a stamp each, the corpus in two parts, vectors twice

	for _, x := range []struct {
		name   string
		gone   int
		cached int
	}{
		{"glove50", 3, 5},
		{"imdb", 1, 1}, // the vectors of its words, too
		{"glove", 1, 0},
	} {
		gone, err := dataset.Remove(dir, x.name)
		require.NoError(t, err)
		assert.Len(t, gone, x.gone)
		assert.Equal(t, x.cached, cached(), x.name)
	}
	assert.NoDirExists(t, filepath.Join(dir, "downloads"))
	assert.FileExists(t, filepath.Join(dir, "notes.txt"))
	items, err := dataset.Installed(dir)
	require.NoError(t, err)
	assert.Empty(t, items)
	noted, err := dataset.Records(dir)
	require.NoError(t, err)
	assert.Empty(t, noted)
	assert.Len(t, added, 3)
}

func TestRemoveRefuses(t *testing.T) {
	dir, _ := install(t)
	for name, want := range map[string]string{
		"sample":   "part of the program",
		"glove200": "glove200 is not installed in " + dir + ". Installed: imdb, glove50, glove100",
		"../x":     "../x is not installed",
		"":         "is not installed",
	} {
		_, err := dataset.Remove(dir, name)
		assert.ErrorContains(t, err, want)
	}
	_, err := dataset.Remove(filepath.Join(dir, "none"), "imdb")
	assert.ErrorContains(t, err, "Installed: nothing")
	assert.NoDirExists(t, filepath.Join(dir, "none"))

	lock, err := fsx.Acquire(filepath.Join(dir, "lock"))
	require.NoError(t, err)
	_, err = dataset.Remove(dir, "imdb")
	assert.ErrorContains(t, err, "wait for it to end")
	require.NoError(t, lock.Release())
}

// A link in the data folder is removed, not what it leads to.
func TestRemoveLink(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	file := put(t, from, "a.tar.gz", gz(t, tarOf(t, tiny)))
	link(t, file, filepath.Join(dir, "aclImdb.tar.gz"))
	_, err := dataset.Remove(dir, "imdb")
	require.NoError(t, err)
	assert.FileExists(t, file)
}

func TestAdopt(t *testing.T) {
	dir := t.TempDir()
	file := put(t, dir, "new/v", gz(t, []byte(gloveText(50))))
	for want, e := range map[string]dataset.Expected{
		`holds "glove50" instead of imdb`:    {Name: "imdb"},
		"instead of 00: damaged, or another": {Name: "glove50", Digest: "00"},
	} {
		_, err := dataset.Adopt(ctx, dir, file, e, dataset.OpenOptions{})
		assert.ErrorContains(t, err, want)
		assert.FileExists(t, file)
	}
	added, err := dataset.Adopt(ctx, dir, file, dataset.Expected{Name: "glove50"}, dataset.OpenOptions{})
	require.NoError(t, err)
	assert.NoFileExists(t, file)
	_, err = dataset.Adopt(ctx, dir, added.Path, dataset.Expected{Name: "glove50", Digest: added.Digest}, dataset.OpenOptions{})
	require.NoError(t, err)
}
