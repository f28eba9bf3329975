package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// filesOf lists the files of a data folder that are no cache.
func filesOf(t *testing.T, dir string) (out []string) {
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		if e.Name() != "cache" && e.Name() != "lock" {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestAddNamedVectors(t *testing.T) {
	from := t.TempDir()
	text, bin := []byte(fixture.GloVe(50)), fixture.Word2Vec(strings.Fields("the film good unused"), 20, "\n")
	c := must.Get(folder.Corpus(ctx, t.TempDir(), "sample", folder.Options{}))(t)
	const final = "mine.vectors.gz"
	for what, x := range map[string]struct {
		file       string
		dim, words int
	}{
		"plain":         {fixture.Put(t, from, "v", text), 50, 12},
		"gzip":          {fixture.Put(t, from, "v.bin", fixture.Gzip(t, text)), 50, 12},
		"binary":        {fixture.Put(t, from, "b.txt", bin), 20, 4},
		"zstd":          {fixture.Put(t, from, "b.zst", fixture.Zstd(t, bin)), 20, 4},
		"zip":           {fixture.Put(t, from, "one.zip", fixture.Zip(t, map[string]string{"a/one.txt": string(text)})), 50, 12},
		"zip of binary": {fixture.Put(t, from, "two.zip", fixture.Zip(t, map[string]string{"two.bin": string(bin)})), 20, 4},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			added := must.Get(folder.AddVectors(ctx, dir, x.file, "mine", true, folder.Options{Warn: func(err error) { t.Error(err) }}))(t)
			path := filepath.Join(dir, final)
			assert.Equal(t, []any{folder.VectorsKind, "mine", path, x.words, x.dim},
				[]any{added.Kind, added.Name, added.Path, added.Words, added.Dim})
			assert.Equal(t, []string{final}, filesOf(t, dir))
			info := must.Get(os.Stat(path))(t)
			assert.Equal(t, info.Size(), added.Bytes)

			v := must.Get(folder.Vectors(ctx, dir, "mine", c, folder.Options{}))(t)
			assert.Equal(t, []any{"mine", x.dim, added.Digest, x.words}, []any{v.Name, v.Dim, v.Digest, v.Total})
			assert.Contains(t, v.Words, "good")
			for range 2 { // from the file, then from the cache
				all := must.Get(folder.Vectors(ctx, dir, "mine", nil, folder.Options{}))(t)
				assert.Equal(t, []any{"mine", x.dim, added.Digest, x.words}, []any{all.Name, all.Dim, all.Digest, all.Total})
				assert.Equal(t, "unused", all.Words[x.words-1])
			}
		})
	}
}

func TestFindVectors(t *testing.T) {
	dir, from := t.TempDir(), t.TempDir()
	c := must.Get(folder.Corpus(ctx, dir, "sample", folder.Options{}))(t)
	must.Get(folder.AddVectors(ctx, dir, fixture.Put(t, from, "v", []byte(fixture.GloVe(50))), "mine", true, folder.Options{}))(t)
	_, err := folder.Vectors(ctx, dir, "yours", c, folder.Options{})
	require.ErrorAs(t, err, new(*folder.NotInstalledError))
	assert.ErrorContains(t, err, "vectors=yours is not installed in "+dir+". Use corpus, random, mine, a file, or add one: exp data add FILE --name yours")
	_, err = folder.Vectors(ctx, dir, "glove70", c, folder.Options{})
	assert.ErrorContains(t, err, "exp data fetch glove")

	zipped := fixture.Put(t, from, "odd#name.zip", fixture.Zip(t, map[string]string{"a.txt": fixture.GloVe(50)}))
	for name, dim := range map[string]int{zipped: 50, fixture.Put(t, from, "x#y", []byte(fixture.GloVe(70))): 70} {
		v := must.Get(folder.Vectors(ctx, dir, name, c, folder.Options{}))(t)
		assert.Equal(t, dim, v.Dim)
		assert.Equal(t, name, v.Name)
	}
}

func TestDetectVectors(t *testing.T) {
	from := t.TempDir()
	text, bin := fixture.GloVe(50), fixture.Word2Vec(fixture.Words(30), 20, "")
	for what, x := range map[string]struct {
		b   []byte
		dim int // 0: no vectors
		err string
	}{
		"text":       {[]byte(text), 50, ""},
		"header":     {[]byte("12 50\n" + text), 50, ""},
		"gzip":       {fixture.Gzip(t, []byte(text)), 50, ""},
		"binary":     {bin, 20, ""},
		"zstd":       {fixture.Zstd(t, bin), 20, ""},
		"zip":        {fixture.Zip(t, map[string]string{"a": text}), 50, ""},
		"zip of two": {fixture.Zip(t, map[string]string{"README": "x", "a": text}), 0, ""},
		"9":          {[]byte(fixture.GloVe(9)), 0, "line 1: has vectors of 9 dimensions"},
		"1001":       {[]byte(fixture.GloVe(1001)), 0, "line 1: has vectors of 1001 dimensions"},
		"fastText":   {[]byte("\xba\x16\x4f\x2f\x0c\x00\x00\x00"), 0, "use the .vec file"},
		"empty":      {nil, 0, ""},
		"review":     {[]byte("pos\tA film of 10 stars that is not worth the money you pay for it 10\n"), 0, ""},
		"csv":        {[]byte("text,label\n\"A good film\",1\n"), 0, ""},
		"numbers":    {[]byte("1 10\n0 9\n"), 0, ""},
		"tar":        {fixture.Tar(t, fixture.Tiny), 0, ""},
		"cut gzip":   {[]byte("\x1f\x8b\x08"), 0, "cut gzip: "},
		"other zip":  {fixture.Zip(t, map[string]string{"a.txt": "a"}), 0, ""},
		"broken zip": {[]byte("PK\x03\x04"), 0, "broken zip: "},
	} {
		dim, _, err := vectors.Detect(ctx, fixture.Put(t, from, what, x.b))
		if x.err != "" {
			assert.ErrorContains(t, err, x.err, what)
		} else {
			assert.NoError(t, err, what)
		}
		assert.Equal(t, x.dim, dim, what)
	}
	for _, name := range []string{"header", "binary", "zip"} { // without a name they cannot be added
		_, err := folder.Add(ctx, t.TempDir(), filepath.Join(from, name), false, folder.Options{})
		assert.ErrorContains(t, err, "--name NAME", name)
	}
	dim, _, err := vectors.Detect(ctx, from)
	assert.NoError(t, err)
	assert.Zero(t, dim, "a folder")
	_, _, err = vectors.Detect(ctx, filepath.Join(from, "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
