package dataset_test

import (
	"archive/tar"
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
)

func TestBadArchive(t *testing.T) {
	at := func(name, text string) []entry { return append([]entry{{name: name, text: text}}, tiny...) }
	kind := func(name string, k byte) []entry { return append([]entry{{name: name, kind: k}}, tiny...) }
	for _, c := range []struct {
		name    string
		entries []entry
		limits  dataset.Limits
		want    []string
	}{
		{"symbolic link", kind("aclImdb/train/pos/5_9.txt", tar.TypeSymlink), dataset.Limits{}, []string{`"aclImdb/train/pos/5_9.txt"`, "is a link"}},
		{"hard link", kind("aclImdb/README", tar.TypeLink), dataset.Limits{}, []string{"is a link"}},
		{"device", kind("aclImdb/train/pos/5_9.txt", tar.TypeChar), dataset.Limits{}, []string{"special file"}},
		{"pipe", kind("aclImdb/train/pos/5_9.txt", tar.TypeFifo), dataset.Limits{}, []string{"special file"}},
		{"absolute", at("/train/pos/5_9.txt", "x"), dataset.Limits{}, []string{"absolute path"}},
		{"absolute on Windows", at(`C:\train\pos\5_9.txt`, "x"), dataset.Limits{}, []string{"absolute path"}},
		{"dots", at("aclImdb/../train/pos/5_9.txt", "x"), dataset.Limits{}, []string{`".." in its path`}},
		{"dots on Windows", at(`aclImdb\..\train`, "x"), dataset.Limits{}, []string{`".." in its path`}},
		{"name", at("aclImdb/train/pos/five.txt", "x"), dataset.Limits{}, []string{"five.txt", "ID_RATING.txt"}},
		{"other folder", at("copy/train/pos/5_9.txt", "x"), dataset.Limits{}, []string{"outside the folder"}},
		{"NUL", at("aclImdb/train/pos/5_9.txt", "ab\x00c"), dataset.Limits{}, []string{"train/pos/5_9.txt", "byte 3 is NUL"}},
		{"not UTF-8", at("aclImdb/train/pos/5_9.txt", "caf\xe9"), dataset.Limits{}, []string{"train/pos/5_9.txt", "byte 4 is not UTF-8", "iconv"}},
		{"long review", tiny, dataset.Limits{ReviewBytes: 26}, []string{"train/neg/0_2.txt", "longer than 26 bytes"}},
		{"bomb", tiny, dataset.Limits{TotalBytes: 2048}, []string{"more than 2048 bytes", "bomb"}},
		{"many", tiny, dataset.Limits{Reviews: 3}, []string{"more reviews than can be read"}},
		{"twice", append([]entry{tiny[0]}, tiny...), dataset.Limits{}, []string{"train/pos/0_9 is there twice"}},
		{"no positive", tiny[3:], dataset.Limits{}, []string{`no train reviews of class "pos"`}},
		{"no test", tiny[:5], dataset.Limits{}, []string{`no test reviews of class "neg"`}},
		{"empty", nil, dataset.Limits{}, []string{"no train reviews"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := imdb(t, c.entries)
			_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{Limits: c.limits})
			for _, want := range append(c.want, filepath.Join(dir, "aclImdb.tar.gz")) {
				assert.ErrorContains(t, err, want)
			}
			left, _ := filepath.Glob(filepath.Join(dir, "cache", "*.*"))
			assert.Empty(t, left)
		})
	}
}

func TestTruncated(t *testing.T) {
	whole := gz(t, tarOf(t, tiny))
	for n := 0; n < len(whole); n += 1 + n/20 {
		dir := t.TempDir()
		put(t, dir, "aclImdb.tar.gz", whole[:n])
		_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{})
		assert.ErrorContains(t, err, "aclImdb.tar.gz", "cut at %d", n)
	}
	_, err := dataset.Open(ctx, imdbBytes(t, whole[:len(whole)-200]), "imdb", dataset.OpenOptions{})
	assert.ErrorContains(t, err, "get it again")
}

func TestCorrupt(t *testing.T) {
	whole := gz(t, tarOf(t, tiny))
	want := open(t, imdbBytes(t, whole), dataset.OpenOptions{}).Digest
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		bad := bytes.Clone(whole)
		bad[10+random.IntN(len(bad)-10)] ^= byte(1 << random.IntN(8))
		c, err := dataset.Open(ctx, imdbBytes(t, bad), "imdb", dataset.OpenOptions{})
		if err == nil { // a bit that gzip leaves unused
			assert.Equal(t, want, c.Digest)
			continue
		}
		assert.ErrorContains(t, err, "aclImdb.tar.gz")
	}
}

func imdbBytes(t *testing.T, b []byte) string {
	dir := t.TempDir()
	put(t, dir, "aclImdb.tar.gz", b)
	return dir
}

func TestBadFolder(t *testing.T) {
	fill := func(t *testing.T) (dir, folder string) {
		dir = t.TempDir()
		for _, e := range tiny {
			put(t, dir, e.name, []byte(e.text))
		}
		return dir, filepath.Join(dir, "aclImdb")
	}
	t.Run("link", func(t *testing.T) {
		dir, folder := fill(t)
		link(t, "0_9.txt", filepath.Join(folder, "train/pos/7_9.txt"))
		_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{})
		assert.ErrorContains(t, err, "7_9.txt: is a link")
	})
	t.Run("folder", func(t *testing.T) {
		dir, folder := fill(t)
		require.NoError(t, os.Mkdir(filepath.Join(folder, "train/pos/7_9.txt"), 0o755))
		_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{})
		assert.ErrorContains(t, err, "7_9.txt: is a folder")
	})
	t.Run("limits", func(t *testing.T) {
		dir, _ := fill(t)
		_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{Limits: dataset.Limits{ReviewBytes: 10}})
		assert.ErrorContains(t, err, "longer than 10 bytes")
		_, err = dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{Limits: dataset.Limits{Reviews: 2}})
		assert.ErrorContains(t, err, "more reviews or more text")
	})
	t.Run("no test", func(t *testing.T) {
		dir, folder := fill(t)
		require.NoError(t, os.RemoveAll(filepath.Join(folder, "test")))
		_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{})
		assert.ErrorContains(t, err, folder)
	})
	t.Run("encoding", func(t *testing.T) {
		dir, folder := fill(t)
		put(t, folder, "train/pos/7_9.txt", []byte("\xff"))
		_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{})
		assert.ErrorContains(t, err, "7_9.txt: byte 1 is not UTF-8")
	})
}

func TestCancel(t *testing.T) {
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	dir := imdb(t, tiny)
	_, err := dataset.Open(stopped, dir, "imdb", dataset.OpenOptions{})
	assert.ErrorIs(t, err, context.Canceled)
	folder := t.TempDir()
	for _, e := range tiny {
		put(t, folder, e.name, []byte(e.text))
	}
	_, err = dataset.Open(stopped, folder, "imdb", dataset.OpenOptions{})
	assert.ErrorIs(t, err, context.Canceled)
	assert.False(t, strings.Contains(err.Error(), "again"), "not taken for damage: %v", err)
}
