package dataset_test

import (
	"archive/tar"
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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
		want    []string
	}{
		{"symbolic link", kind("aclImdb/train/pos/5_9.txt", tar.TypeSymlink), []string{`"aclImdb/train/pos/5_9.txt"`, "not a regular file"}},
		{"hard link", kind("aclImdb/train/pos/5_9.txt", tar.TypeLink), []string{"not a regular file"}},
		{"device", kind("aclImdb/train/pos/5_9.txt", tar.TypeChar), []string{"not a regular file"}},
		{"NUL", at("aclImdb/train/pos/5_9.txt", "ab\x00c"), []string{"train/pos/5_9.txt", "byte 3 is NUL"}},
		{"not UTF-8", at("aclImdb/train/pos/5_9.txt", "caf\xe9"), []string{"train/pos/5_9.txt", "byte 4 is not UTF-8", "iconv"}},
		{"twice", append([]fixture.Entry{fixture.Tiny[0]}, fixture.Tiny...), []string{"train/pos/0_9 occurs twice"}},
		{"no positive", fixture.Tiny[3:], []string{`no train reviews of class "pos"`}},
		{"no test", fixture.Tiny[:5], []string{`no test reviews of class "neg"`}},
		{"empty", nil, []string{"no train reviews"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fixture.IMDB(t, c.entries)
			_, err := folder.Corpus(ctx, dir, "imdb", folder.Options{})
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
		assert.ErrorContains(t, must.Fail(digestOfArchive(t, dir, whole[:n])), "aclImdb.tar.gz", "cut at %d", n)
	}
	assert.ErrorContains(t, must.Fail(digestOfArchive(t, dir, whole[:len(whole)-200])), "get it again")
}

func TestCorrupt(t *testing.T) {
	whole := fixture.Gzip(t, fixture.Tar(t, fixture.Tiny))
	dir := t.TempDir()
	want := must.Get(digestOfArchive(t, dir, whole))(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 / fixture.Every(5) {
		bad := bytes.Clone(whole)
		bad[10+random.IntN(len(bad)-10)] ^= byte(1 << random.IntN(8))
		got, err := digestOfArchive(t, dir, bad)
		if err == nil { // a bit that gzip leaves unused
			assert.Equal(t, want, got)
			continue
		}
		assert.ErrorContains(t, err, "aclImdb.tar.gz")
	}
}

// digestOfArchive reads an archive of these bytes, which no cache knows.
func digestOfArchive(t *testing.T, dir string, b []byte) (string, error) {
	path := fixture.Put(t, dir, "aclImdb.tar.gz", b)
	src := must.Get(imdb.Open(path, path, nil))(t)
	c, err := dataset.Build(ctx, "imdb", src, token.PTB)
	if err != nil {
		return "", err
	}
	return c.Digest, nil
}

func TestBadFolder(t *testing.T) {
	for want, spoil := range map[string]func(root string){
		"7_9.txt: is not a regular file": func(root string) {
			fixture.Link(t, "0_9.txt", filepath.Join(root, "train/pos/7_9.txt"))
		},
		"8_9.txt: is not a regular file": func(root string) {
			require.NoError(t, os.Mkdir(filepath.Join(root, "train/pos/8_9.txt"), 0o755))
		},
		"no test reviews of class": func(root string) {
			require.NoError(t, os.RemoveAll(filepath.Join(root, "test")))
		},
		"9_9.txt: byte 1 is not UTF-8": func(root string) {
			fixture.Put(t, root, "train/pos/9_9.txt", []byte("\xff"))
		},
	} {
		root := t.TempDir()
		for _, e := range fixture.Tiny {
			fixture.Put(t, root, strings.TrimPrefix(e.Name, "aclImdb/"), []byte(e.Text))
		}
		spoil(root)
		src := must.Get(imdb.Open(root, root, nil))(t)
		err := must.Fail(dataset.Build(ctx, "imdb", src, token.PTB))
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, root)
	}
}
