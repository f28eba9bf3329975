package imdb_test

import (
	"archive/tar"
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

var ctx = context.Background()

func TestBadArchive(t *testing.T) {
	at := func(name, text string) []fixture.Entry {
		return append([]fixture.Entry{{Name: name, Text: text}}, fixture.Tiny...)
	}
	kind := func(name string, k byte) []fixture.Entry {
		return append([]fixture.Entry{{Name: name, Kind: k}}, fixture.Tiny...)
	}
	for _, c := range []struct {
		name    string
		entries []fixture.Entry
		limits  dataset.Limits
		want    []string
	}{
		{"symbolic link", kind("aclImdb/train/pos/5_9.txt", tar.TypeSymlink), dataset.Limits{}, []string{`"aclImdb/train/pos/5_9.txt"`, "not a regular file"}},
		{"hard link", kind("aclImdb/train/pos/5_9.txt", tar.TypeLink), dataset.Limits{}, []string{"not a regular file"}},
		{"device", kind("aclImdb/train/pos/5_9.txt", tar.TypeChar), dataset.Limits{}, []string{"not a regular file"}},
		{"name", at("aclImdb/train/pos/five.txt", "x"), dataset.Limits{}, []string{"five.txt", "ID_RATING.txt"}},
		{"other folder", at("copy/train/pos/5_9.txt", "x"), dataset.Limits{}, []string{"outside the folder"}},
		{"NUL", at("aclImdb/train/pos/5_9.txt", "ab\x00c"), dataset.Limits{}, []string{"train/pos/5_9.txt", "byte 3 is NUL"}},
		{"not UTF-8", at("aclImdb/train/pos/5_9.txt", "caf\xe9"), dataset.Limits{}, []string{"train/pos/5_9.txt", "byte 4 is not UTF-8", "iconv"}},
		{"long review", fixture.Tiny, dataset.Limits{ReviewBytes: 26}, []string{"train/neg/0_2.txt", "longer than 26 bytes"}},
		{"bomb", fixture.Tiny, dataset.Limits{TotalBytes: 2048}, []string{"more than 2048 bytes", "bomb"}},
		{"many", fixture.Tiny, dataset.Limits{Reviews: 3}, []string{"more reviews or more text than can be read"}},
		{"twice", append([]fixture.Entry{fixture.Tiny[0]}, fixture.Tiny...), dataset.Limits{}, []string{"train/pos/0_9 is there twice"}},
		{"no positive", fixture.Tiny[3:], dataset.Limits{}, []string{`no train reviews of class "pos"`}},
		{"no test", fixture.Tiny[:5], dataset.Limits{}, []string{`no test reviews of class "neg"`}},
		{"empty", nil, dataset.Limits{}, []string{"no train reviews"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fixture.IMDB(t, c.entries)
			_, err := folder.Corpus(ctx, dir, "imdb", folder.Options{Limits: c.limits})
			for _, want := range append(c.want, filepath.Join(dir, "aclImdb.tar.gz")) {
				assert.ErrorContains(t, err, want)
			}
			left, _ := filepath.Glob(filepath.Join(dir, "cache", "*.*"))
			assert.Empty(t, left)
		})
	}
}

func TestTruncated(t *testing.T) {
	whole := fixture.Gzip(t, fixture.Tar(t, fixture.Tiny))
	dir := t.TempDir()
	for n := 0; n < len(whole); n += (1 + n/20) * fixture.Every(2) {
		assert.ErrorContains(t, must.Fail(digest(t, dir, whole[:n])), "aclImdb.tar.gz", "cut at %d", n)
	}
	assert.ErrorContains(t, must.Fail(digest(t, dir, whole[:len(whole)-200])), "get it again")
}

func TestCorrupt(t *testing.T) {
	whole := fixture.Gzip(t, fixture.Tar(t, fixture.Tiny))
	dir := t.TempDir()
	want := must.Get(digest(t, dir, whole))(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 / fixture.Every(5) {
		bad := bytes.Clone(whole)
		bad[10+random.IntN(len(bad)-10)] ^= byte(1 << random.IntN(8))
		got, err := digest(t, dir, bad)
		if err == nil { // a bit that gzip leaves unused
			assert.Equal(t, want, got)
			continue
		}
		assert.ErrorContains(t, err, "aclImdb.tar.gz")
	}
}

// digest reads an archive of these bytes, which no cache knows.
func digest(t *testing.T, dir string, b []byte) (string, error) {
	path := fixture.Put(t, dir, "aclImdb.tar.gz", b)
	src := must.Get(imdb.Open(path, path, dataset.Limits{}, nil))(t)
	c, err := dataset.Build(ctx, "imdb", src, token.PTB)
	if err != nil {
		return "", err
	}
	return c.Digest, nil
}

func TestBadFolder(t *testing.T) {
	fill := func(t *testing.T) (dir, root string) {
		dir = t.TempDir()
		for _, e := range fixture.Tiny {
			fixture.Put(t, dir, e.Name, []byte(e.Text))
		}
		return dir, filepath.Join(dir, "aclImdb")
	}
	t.Run("link", func(t *testing.T) {
		dir, root := fill(t)
		fixture.Link(t, "0_9.txt", filepath.Join(root, "train/pos/7_9.txt"))
		assert.ErrorContains(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{})), "7_9.txt: is not a regular file")
	})
	t.Run("folder", func(t *testing.T) {
		dir, root := fill(t)
		require.NoError(t, os.Mkdir(filepath.Join(root, "train/pos/7_9.txt"), 0o755))
		assert.ErrorContains(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{})), "7_9.txt: is not a regular file")
	})
	t.Run("limits", func(t *testing.T) {
		dir, _ := fill(t)
		assert.ErrorContains(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{Limits: dataset.Limits{ReviewBytes: 10}})), "longer than 10 bytes")
		assert.ErrorContains(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{Limits: dataset.Limits{Reviews: 2}})), "more reviews or more text")
	})
	t.Run("no test", func(t *testing.T) {
		dir, root := fill(t)
		require.NoError(t, os.RemoveAll(filepath.Join(root, "test")))
		assert.ErrorContains(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{})), root)
	})
	t.Run("encoding", func(t *testing.T) {
		dir, root := fill(t)
		fixture.Put(t, root, "train/pos/7_9.txt", []byte("\xff"))
		assert.ErrorContains(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{})), "7_9.txt: byte 1 is not UTF-8")
	})
}
