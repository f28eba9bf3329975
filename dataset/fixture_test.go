package dataset_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
)

var ctx = context.Background()

// entry is one entry of a test archive; a zero kind is a plain file.
type entry struct {
	name, text string
	kind       byte
}

// tiny is a data set of nine reviews, among them an empty one.
var tiny = []entry{
	{name: "aclImdb/train/pos/0_9.txt", text: "A good film. It's good!"},
	{name: "aclImdb/train/pos/1_7.txt", text: "Good <br /><br />good fun"},
	{name: "aclImdb/train/pos/10_8.txt", text: "I like it"},
	{name: "aclImdb/train/neg/0_2.txt", text: "A bad film; I don't like it."},
	{name: "aclImdb/train/neg/1_1.txt", text: ""},
	{name: "aclImdb/test/pos/0_10.txt", text: "unseen but good"},
	{name: "aclImdb/test/neg/0_3.txt", text: "bad bad bad"},
	{name: "aclImdb/train/unsup/0_0.txt", text: "nobody said whether it is good"},
	{name: "aclImdb/train/unsup/1_0.txt", text: "extra"},
}

// official adds what the published archive holds besides.
var official = append([]entry{
	{name: "aclImdb/", kind: tar.TypeDir},
	{name: "aclImdb/README", text: "…"},
	{name: "aclImdb/imdb.vocab", text: "the\nand\n"},
	{name: "aclImdb/imdbEr.txt", text: "0.0490972013402"},
	{name: "aclImdb/train/labeledBow.feat", text: "9 0:9 1:1"},
	{name: "aclImdb/train/urls_pos.txt", text: "http://www.imdb.com/title/tt0453418/usercomments\n"},
	{name: "aclImdb/train/pos/", kind: tar.TypeDir},
	{name: "aclImdb/train/pos/._0_9.txt", text: "\x00\x05"},
}, tiny...)

func tarOf(t testing.TB, entries []entry) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o644, Size: int64(len(e.text))}
		switch e.kind {
		case 0:
			h.Typeflag = tar.TypeReg
		case tar.TypeSymlink, tar.TypeLink:
			h.Linkname, h.Size = "/etc/passwd", 0
		}
		require.NoError(t, w.WriteHeader(h))
		if h.Size > 0 {
			_, err := w.Write([]byte(e.text))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func gz(t testing.TB, b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func zipOf(t testing.TB, members map[string]string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range members {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// put writes a file below dir.
func put(t testing.TB, dir, name string, b []byte) string {
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, b, 0o644))
	return path
}

// imdb makes a data folder with an archive of the entries.
func imdb(t testing.TB, entries []entry) string {
	dir := t.TempDir()
	put(t, dir, "aclImdb.tar.gz", gz(t, tarOf(t, entries)))
	return dir
}

func open(t testing.TB, dir string, o dataset.OpenOptions) *dataset.Corpus {
	if o.Warn == nil {
		o.Warn = func(err error) { t.Errorf("warning: %v", err) }
	}
	c, err := dataset.Open(ctx, dir, "imdb", o)
	require.NoError(t, err)
	return c
}

// wordsOf spells out review b of a split.
func wordsOf(c *dataset.Corpus, s *dataset.Split, b int) string {
	var w []string
	for _, id := range s.Words(b) {
		w = append(w, c.Vocab.Word(id))
	}
	return strings.Join(w, " ")
}

// link makes a symbolic link, which Windows leaves to administrators.
func link(t *testing.T, to, name string) {
	t.Helper()
	err := os.Symlink(to, name)
	if err != nil && runtime.GOOS == "windows" {
		t.Skipf("making a symbolic link needs a privilege on Windows: %v", err)
	}
	require.NoError(t, err)
}
