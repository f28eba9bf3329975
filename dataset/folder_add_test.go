package dataset_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

var ctx = context.Background()

func TestAddCorpus(t *testing.T) {
	elsewhere := t.TempDir()
	for _, e := range fixture.Official {
		if e.Kind == 0 {
			fixture.Put(t, elsewhere, e.Name, []byte(e.Text))
		}
	}
	archive := fixture.Gzip(t, fixture.Tar(t, fixture.Official))
	for name, file := range map[string]string{
		"archive":     fixture.Put(t, elsewhere, "download", archive),
		"plain":       fixture.Put(t, elsewhere, "plain", fixture.Tar(t, fixture.Tiny)),
		"folder":      filepath.Join(elsewhere, "aclImdb"),
		"other names": fixture.Put(t, elsewhere, "x.zip", archive),
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "data")
			added := must.Get(folder.Add(ctx, dir, file, false, folder.Options{Warn: func(err error) { t.Error(err) }}))(t)[0]
			assert.Equal(t, []any{folder.CorpusKind, "imdb", 5, 2, 2}, []any{added.Kind, added.Name, added.Train, added.Test, added.Extra})
			items := must.Get(folder.Installed(dir))(t)
			assert.Equal(t, []folder.Item{added.Item}, items)
			var n atomic.Int64
			c := fixture.Open(t, dir, fixture.Reads(&n))
			assert.Equal(t, added.Digest, c.Digest)
			assert.Zero(t, n.Load(), "the first start is as quick as the second")
			noStage(t, dir)
		})
	}
}

func TestAddAgain(t *testing.T) {
	dir := t.TempDir()
	first := must.Get(folder.Add(ctx, dir, put(t, "a.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny))), false, folder.Options{}))(t)[0]
	again := must.Get(folder.Add(ctx, dir, first.Path, true, folder.Options{}))(t)[0]
	assert.Equal(t, first, again, "onto itself")
	plain := put(t, "b.tar", fixture.Tar(t, fixture.Tiny[:len(fixture.Tiny)-1]))
	third := must.Get(folder.Add(ctx, dir, plain, true, folder.Options{}))(t)[0]
	assert.Equal(t, third.Digest, fixture.Open(t, dir, folder.Options{}).Digest)
	left := must.Get(filepath.Glob(filepath.Join(dir, "cache", "corpus-"+first.Digest[:16]+"-*")))(t)
	assert.Empty(t, left, "nothing is cached of what has been replaced")
}

// GloVe is kept as one compressed text for each dimension, whatever it came in.
func TestAddVectors(t *testing.T) {
	from := t.TempDir()
	text := []byte(fixture.GloVe(50))
	for name, x := range map[string]struct {
		file string
		want []string
	}{
		"text": {fixture.Put(t, from, "v.txt", text), []string{"glove50"}},
		"gzip": {fixture.Put(t, from, "v.gz", fixture.Gzip(t, text)), []string{"glove50"}},
		"zip":  {fixture.Put(t, from, "one.zip", fixture.Zip(t, map[string]string{"x/glove.6B.50d.txt": string(text)})), []string{"glove50"}},
		"zip of all": {fixture.Put(t, from, "all.zip", fixture.Zip(t, map[string]string{"glove.6B.50d.txt": fixture.GloVe(50), "glove.6B.100d.txt": fixture.GloVe(100)})),
			[]string{"glove50", "glove100"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var names []string
			for _, a := range must.Get(folder.Add(ctx, dir, x.file, false, folder.Options{}))(t) {
				assert.Equal(t, 12, a.Words)
				names = append(names, a.Name)
				c := must.Get(folder.Corpus(ctx, dir, "sample", folder.Options{}))(t)
				v := must.Get(folder.Vectors(ctx, dir, a.Name, c, folder.Options{}))(t)
				assert.Equal(t, []any{a.Dim, a.Digest}, []any{v.Dim, v.Digest})
			}
			assert.Equal(t, x.want, names)
			assert.FileExists(t, filepath.Join(dir, "glove.6B.50d.txt.gz"))
		})
	}
}

// --force replaces vectors. Without it, those of a zip that are not installed are added.
func TestAddReplacesVectors(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	newer := []byte(fixture.GloVe(50) + "more" + strings.Repeat(" 1", 50) + "\n")
	fixture.Put(t, dir, "glove.6B.50d.txt", []byte(fixture.GloVe(50))) // by hand
	gz := fixture.Put(t, from, "v.gz", fixture.Gzip(t, newer))
	require.ErrorContains(t, must.Fail(folder.Add(ctx, dir, gz, false, folder.Options{})), "vectors=glove50 is installed in "+dir+" already, as glove.6B.50d.txt: --force replaces it")
	must.Get(folder.Add(ctx, dir, gz, true, folder.Options{}))(t)
	v := must.Get(folder.Vectors(ctx, dir, "glove50", nil, folder.Options{}))(t)
	assert.Equal(t, 13, v.Total)
	all := fixture.Put(t, from, "all.zip", fixture.Zip(t, map[string]string{"glove.6B.50d.txt": fixture.GloVe(50), "glove.6B.100d.txt": fixture.GloVe(100)}))
	added := must.Get(folder.Add(ctx, dir, all, false, folder.Options{}))(t)
	assert.Equal(t, []string{"glove100"}, []string{added[0].Name})
	require.ErrorContains(t, must.Fail(folder.Add(ctx, dir, all, false, folder.Options{})), "vectors=glove50 is installed")
}

func TestAddRefuses(t *testing.T) {
	from := t.TempDir()
	for name, x := range map[string]struct{ file, want string }{
		"nothing":       {filepath.Join(from, "none"), "none"},
		"text":          {fixture.Put(t, from, "text", []byte("Once upon a time\n")), "neither the aclImdb archive"},
		"empty":         {fixture.Put(t, from, "empty", nil), "neither the aclImdb archive"},
		"other vectors": {fixture.Put(t, from, "own", []byte("x 1 2 3 4 5 6 7 8 9 10\n")), "vectors=FILE"},
		"other tar":     {fixture.Put(t, from, "t.tar", fixture.Tar(t, []fixture.Entry{{Name: "a.txt", Text: "a"}})), `it holds "a.txt"`},
		"other zip":     {fixture.Put(t, from, "z.zip", fixture.Zip(t, map[string]string{"a.txt": "a"})), "without GloVe 6B"},
		"cut zip":       {fixture.Put(t, from, "c.zip", []byte("PK\x03\x04 and no more")), "get the file again"},
		"other folder":  {from, "it has no train/pos"},
		"cut":           {fixture.Put(t, from, "cut", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny))[:300]), "get it again"},
		"bad review":    {fixture.Put(t, from, "bad", fixture.Gzip(t, fixture.Tar(t, append([]fixture.Entry{{Name: "train/pos/0_9.txt", Text: "\xff"}}, fixture.Tiny[1:]...)))), `bad: entry "train/pos/0_9.txt"`},
		"bad vectors":   {fixture.Put(t, from, "bv", []byte(fixture.GloVe(50)+"end 1 2\n")), "bv: line 13"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := folder.Add(ctx, dir, x.file, false, folder.Options{})
			assert.ErrorContains(t, err, x.want)
			assert.NotContains(t, err.Error(), "incoming", "messages name the user's file")
			items := must.Get(folder.Installed(dir))(t)
			assert.Empty(t, items)
			noStage(t, dir)
		})
	}
}

func TestAddOneAtATime(t *testing.T) {
	dir := t.TempDir()
	lock := must.Get(fsx.In(dir).Acquire("lock"))(t)
	file := put(t, "a.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny)))
	assert.ErrorContains(t, must.Fail(folder.Add(ctx, dir, file, false, folder.Options{})), "another process is adding")
	require.NoError(t, lock.Release())
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, must.Fail(folder.Add(stopped, dir, file, false, folder.Options{})), context.Canceled)
	_, err := folder.Add(ctx, dir, file, false, folder.Options{})
	assert.NoError(t, err)
}

func TestDir(t *testing.T) {
	t.Setenv("EXP_DATA", "")
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("LocalAppData", home)
	dir := must.Get(folder.Dir(""))(t)
	assert.True(t, strings.HasSuffix(dir, "imdbexp"))
	t.Setenv("EXP_DATA", "here")
	dir = must.Get(folder.Dir(""))(t)
	assert.Equal(t, "here", dir)
	dir = must.Get(folder.Dir("there"))(t)
	assert.Equal(t, "there", dir)
	items := must.Get(folder.Installed(filepath.Join(home, "none")))(t)
	assert.Empty(t, items)
}

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

	file := put(t, "a.csv", fixture.CSV(5, "a", "b"))
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
	small := put(t, "small.tar.gz", fixture.Gzip(t, fixture.Tar(t, fixture.Tiny)))
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
		must.Get(folder.Add(ctx, dir, small, true, folder.Options{}))(t)
		noStage(t, dir)
	}
}
