package dataset_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/fsx"
)

func TestAddCorpus(t *testing.T) {
	elsewhere := t.TempDir()
	for _, e := range official {
		if e.kind == 0 {
			put(t, elsewhere, e.name, []byte(e.text))
		}
	}
	archive := gz(t, tarOf(t, official))
	for name, file := range map[string]string{
		"archive":     put(t, elsewhere, "download", archive),
		"plain":       put(t, elsewhere, "plain", tarOf(t, tiny)),
		"folder":      filepath.Join(elsewhere, "aclImdb"),
		"other names": put(t, elsewhere, "x.zip", archive),
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "data")
			added, err := dataset.Add(ctx, dir, file, dataset.OpenOptions{Warn: func(err error) { t.Error(err) }})
			require.NoError(t, err)
			assert.Equal(t, []any{dataset.CorpusKind, "imdb", 5, 2, 2}, []any{added.Kind, added.Name, added.Train, added.Test, added.Extra})
			items, err := dataset.Installed(dir)
			require.NoError(t, err)
			assert.Equal(t, []dataset.Item{added.Item}, items)
			var n atomic.Int64
			c := open(t, dir, reads(&n))
			assert.Equal(t, added.Digest, c.Digest)
			assert.Zero(t, n.Load(), "the first start is as quick as the second")
			assert.NoDirExists(t, filepath.Join(dir, "incoming"))
		})
	}
}

func TestAddAgain(t *testing.T) {
	dir := t.TempDir()
	file := put(t, t.TempDir(), "a.tar.gz", gz(t, tarOf(t, tiny)))
	first, err := dataset.Add(ctx, dir, file, dataset.OpenOptions{})
	require.NoError(t, err)
	again, err := dataset.Add(ctx, dir, first.Path, dataset.OpenOptions{})
	require.NoError(t, err, "a file that is there already")
	assert.Equal(t, first, again)
	plain := put(t, t.TempDir(), "b.tar", tarOf(t, tiny[:len(tiny)-1]))
	third, err := dataset.Add(ctx, dir, plain, dataset.OpenOptions{})
	require.NoError(t, err)
	assert.NoFileExists(t, first.Path, "replaced by another form")
	assert.Equal(t, third.Digest, open(t, dir, dataset.OpenOptions{}).Digest)
	_, err = dataset.Add(ctx, dir, put(t, t.TempDir(), "c.tar", tarOf(t, tiny)), dataset.OpenOptions{})
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(dir, "cache", "corpus-"+third.Digest[:16]+"-*"))
	require.NoError(t, err)
	assert.Empty(t, left, "nothing is cached of what has been replaced")
}

func TestAddVectors(t *testing.T) {
	from := t.TempDir()
	text := []byte(gloveText(50))
	all := zipOf(t, map[string]string{"glove.6B.50d.txt": gloveText(50), "glove.6B.100d.txt": gloveText(100)})
	for name, x := range map[string]struct {
		file string
		want []string
	}{
		"glove.6B.50d.txt":    {put(t, from, "v.txt", text), []string{"glove50"}},
		"glove.6B.50d.txt.gz": {put(t, from, "v.gz", gz(t, text)), []string{"glove50"}},
		"glove.6B.50d.zip":    {put(t, from, "one.zip", zipOf(t, map[string]string{"x/glove.6B.50d.txt": string(text)})), []string{"glove50"}},
		"glove.6B.zip":        {put(t, from, "all.zip", all), []string{"glove50", "glove100"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			added, err := dataset.Add(ctx, dir, x.file, dataset.OpenOptions{})
			require.NoError(t, err)
			assert.Equal(t, 12, added.Words)
			assert.FileExists(t, filepath.Join(dir, name))
			items, err := dataset.Installed(dir)
			require.NoError(t, err)
			var names []string
			for _, i := range items {
				names = append(names, i.Name)
			}
			assert.Equal(t, x.want, names)
			c, err := dataset.Open(ctx, dir, "sample", dataset.OpenOptions{})
			require.NoError(t, err)
			v, err := dataset.OpenVectors(ctx, dir, x.want[len(x.want)-1], c, dataset.OpenOptions{})
			require.NoError(t, err)
			assert.Contains(t, v.Words, "the")
		})
	}
}

func TestAddRefuses(t *testing.T) {
	from := t.TempDir()
	for name, x := range map[string]struct{ file, want string }{
		"nothing":       {filepath.Join(from, "none"), "none"},
		"text":          {put(t, from, "text", []byte("Once upon a time\n")), "neither the aclImdb archive"},
		"empty":         {put(t, from, "empty", nil), "neither the aclImdb archive"},
		"other vectors": {put(t, from, "own", []byte("x 1 2 3 4 5 6 7 8 9 10\n")), "vectors=FILE"},
		"other tar":     {put(t, from, "t.tar", tarOf(t, []entry{{name: "a.txt", text: "a"}})), `it holds "a.txt"`},
		"other zip":     {put(t, from, "z.zip", zipOf(t, map[string]string{"a.txt": "a"})), "without GloVe 6B"},
		"cut zip":       {put(t, from, "c.zip", []byte("PK\x03\x04 and no more")), "get the file again"},
		"other folder":  {from, "it has no train/pos"},
		"cut":           {put(t, from, "cut", gz(t, tarOf(t, tiny))[:300]), "get it again"},
		"bad review":    {put(t, from, "bad", gz(t, tarOf(t, append([]entry{{name: "train/pos/0_9.txt", text: "\xff"}}, tiny[1:]...)))), "bad: entry"},
		"bad vectors":   {put(t, from, "bv", []byte(gloveText(50)+"end 1 2\n")), "bv: line 13"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := dataset.Add(ctx, dir, x.file, dataset.OpenOptions{})
			assert.ErrorContains(t, err, x.want)
			assert.NotContains(t, err.Error(), "incoming", "messages name the user's file")
			items, err := dataset.Installed(dir)
			require.NoError(t, err)
			assert.Empty(t, items)
			assert.NoDirExists(t, filepath.Join(dir, "incoming"))
		})
	}
}

func TestAddOneAtATime(t *testing.T) {
	dir := t.TempDir()
	lock, err := fsx.Acquire(filepath.Join(dir, "lock"))
	require.NoError(t, err)
	file := put(t, t.TempDir(), "a.tar.gz", gz(t, tarOf(t, tiny)))
	_, err = dataset.Add(ctx, dir, file, dataset.OpenOptions{})
	assert.ErrorContains(t, err, "something else is being added")
	require.NoError(t, lock.Release())
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, err = dataset.Add(stopped, dir, file, dataset.OpenOptions{})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = dataset.Add(ctx, dir, file, dataset.OpenOptions{})
	assert.NoError(t, err)
}

func TestDir(t *testing.T) {
	t.Setenv("EXP_DATA", "")
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("LocalAppData", home)
	dir, err := dataset.Dir("")
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(dir, "imdbexp"))
	t.Setenv("EXP_DATA", "here")
	dir, err = dataset.Dir("")
	require.NoError(t, err)
	assert.Equal(t, "here", dir)
	dir, err = dataset.Dir("there")
	require.NoError(t, err)
	assert.Equal(t, "there", dir)
	items, err := dataset.Installed(filepath.Join(home, "none"))
	require.NoError(t, err)
	assert.Empty(t, items)
}

func TestReadOnlyFolder(t *testing.T) {
	dir := imdb(t, tiny)
	defer fsx.Inject(func(fsx.Op) error { return syscall.EROFS })() // root may write to a folder that says it is read-only
	warned := false
	open(t, dir, dataset.OpenOptions{Warn: func(error) { warned = true }})
	assert.True(t, warned)
	_, err := dataset.Add(ctx, dir, filepath.Join(dir, "aclImdb.tar.gz"), dataset.OpenOptions{})
	assert.ErrorContains(t, err, dir)
}
