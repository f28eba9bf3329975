package folder_test

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
)

// names lists the files of a data folder that are no cache.
func names(t *testing.T, dir string) (out []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
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
	c, err := folder.Corpus(ctx, t.TempDir(), "sample", folder.Options{})
	require.NoError(t, err)
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
			added, err := folder.AddVectors(ctx, dir, x.file, "mine", true, folder.Options{Warn: func(err error) { t.Error(err) }})
			require.NoError(t, err)
			path := filepath.Join(dir, final)
			assert.Equal(t, []any{folder.VectorsKind, "mine", path, x.words, x.dim},
				[]any{added.Kind, added.Name, added.Path, added.Words, added.Dim})
			assert.Equal(t, []string{"installed.json", final}, names(t, dir))
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, info.Size(), added.Bytes)
			noted, err := folder.Records(dir)
			require.NoError(t, err)
			assert.Equal(t, folder.Record{Digests: map[string]string{"mine": added.Digest}, Words: x.words}, noted[final])

			v, err := folder.Vectors(ctx, dir, "mine", c, folder.Options{})
			require.NoError(t, err)
			assert.Equal(t, []any{"mine", x.dim, added.Digest, x.words}, []any{v.Name, v.Dim, v.Digest, v.Total})
			assert.Contains(t, v.Words, "good")
			for range 2 { // from the file, then from the cache
				all, err := folder.Vectors(ctx, dir, "mine", nil, folder.Options{})
				require.NoError(t, err)
				assert.Equal(t, []any{"mine", x.dim, added.Digest, x.words}, []any{all.Name, all.Dim, all.Digest, all.Total})
				assert.Equal(t, "unused", all.Words[x.words-1])
			}
		})
	}
}

func TestAddNamedVectorsAgain(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	first, err := folder.AddVectors(ctx, dir, fixture.Put(t, from, "v.gz", fixture.Gzip(t, []byte(fixture.GloVe(50)))), "mine", true, folder.Options{})
	require.NoError(t, err)
	bad := fixture.Put(t, from, "bad", []byte(fixture.GloVe(50)+"end 1 2\n"))
	_, err = folder.AddVectors(ctx, dir, bad, "mine", true, folder.Options{})
	assert.ErrorContains(t, err, bad+": line 13: ")
	assert.Equal(t, []string{"installed.json", "mine.vectors.gz"}, names(t, dir), "still the first")
	again, err := folder.AddVectors(ctx, dir, first.Path, "mine", true, folder.Options{})
	require.NoError(t, err, "onto itself")
	assert.Equal(t, first, again)
	_, err = folder.Vectors(ctx, dir, "mine", nil, folder.Options{})
	require.NoError(t, err)
	cached, err := filepath.Glob(filepath.Join(dir, "cache", "vectors-*"))
	require.NoError(t, err)
	assert.Len(t, cached, 1)
	_, err = folder.AddVectors(ctx, dir, fixture.Put(t, from, "b", fixture.Word2Vec(fixture.Words(30), 10, "")), "mine", true, folder.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"installed.json", "mine.vectors.gz"}, names(t, dir))
	assert.NoFileExists(t, cached[0])
	noted, err := folder.Records(dir)
	require.NoError(t, err)
	assert.Len(t, noted, 1)
	v, err := folder.Vectors(ctx, dir, "mine", nil, folder.Options{})
	require.NoError(t, err)
	assert.Equal(t, fixture.Words(30), v.Words)
}

func TestAddNamedVectorsRefuses(t *testing.T) {
	from := t.TempDir()
	good := fixture.Put(t, from, "good", []byte(fixture.GloVe(50)))
	two := fixture.Put(t, from, "two.zip", fixture.Zip(t, map[string]string{"one.txt": fixture.GloVe(50), "two.txt": fixture.GloVe(100)}))
	zipped := fixture.Zip(t, map[string]string{"v.txt": fixture.GloVe(50)})
	zipped[60] ^= 0x55
	for what, x := range map[string]struct{ file, name, want string }{
		"no name":     {good, "", "use up to 64 small letters, digits and hyphens"},
		"path":        {good, "../x", "use up to 64 small letters"},
		"capitals":    {good, "Mine", "use up to 64 small letters"},
		"long":        {good, strings.Repeat("x", 65), "use up to 64 small letters"},
		"reserved":    {good, "corpus", "is reserved"},
		"glove":       {good, "glove50", "is reserved"},
		"none":        {filepath.Join(from, "none"), "mine", "none"},
		"which":       {two, "mine", "two.zip: holds several files: unpack the one that you need"},
		"text":        {fixture.Put(t, from, "t", []byte("A good film.\n")), "mine", "t: line 1: not word vectors"},
		"cut":         {fixture.Put(t, from, "cut.gz", fixture.Gzip(t, []byte(fixture.GloVe(50)))[:200]), "mine", "cut.gz: cut off"},
		"damaged zip": {fixture.Put(t, from, "d.zip", zipped), "mine", "d.zip"},
		"folder":      {from, "mine", ""},
	} {
		dir := t.TempDir()
		_, err := folder.AddVectors(ctx, dir, x.file, x.name, true, folder.Options{})
		assert.ErrorContains(t, err, x.want, what)
		assert.NotContains(t, err.Error(), "incoming", "messages name the user's file")
		assert.Empty(t, names(t, dir), what)
	}
}

func TestFindVectors(t *testing.T) {
	dir, from := t.TempDir(), t.TempDir()
	c, err := folder.Corpus(ctx, dir, "sample", folder.Options{})
	require.NoError(t, err)
	_, err = folder.AddVectors(ctx, dir, fixture.Put(t, from, "v", []byte(fixture.GloVe(50))), "mine", true, folder.Options{})
	require.NoError(t, err)
	_, err = folder.Vectors(ctx, dir, "yours", c, folder.Options{})
	require.ErrorAs(t, err, new(*folder.NotInstalledError))
	assert.ErrorContains(t, err, "vectors=yours is not installed in "+dir+". Use corpus, random, mine, a file, or add one: exp data add FILE --name yours")
	_, err = folder.Vectors(ctx, dir, "glove70", c, folder.Options{})
	assert.ErrorContains(t, err, "exp data fetch glove")

	zipped := fixture.Put(t, from, "odd#name.zip", fixture.Zip(t, map[string]string{"a.txt": fixture.GloVe(50)}))
	for name, dim := range map[string]int{zipped: 50, fixture.Put(t, from, "x#y", []byte(fixture.GloVe(70))): 70} {
		v, err := folder.Vectors(ctx, dir, name, c, folder.Options{})
		require.NoError(t, err)
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
		dim, err := vectors.Detect(ctx, fixture.Put(t, from, what, x.b))
		if x.err != "" {
			assert.ErrorContains(t, err, x.err, what)
		} else {
			assert.NoError(t, err, what)
		}
		assert.Equal(t, x.dim, dim, what)
	}
	for _, name := range []string{"9", "header", "binary", "zip"} { // without a name they cannot be added
		_, err := folder.Add(ctx, t.TempDir(), filepath.Join(from, name), false, folder.Options{})
		assert.ErrorContains(t, err, "--name NAME", name)
	}
	dim, err := vectors.Detect(ctx, from)
	assert.NoError(t, err)
	assert.Zero(t, dim, "a folder")
	_, err = vectors.Detect(ctx, filepath.Join(from, "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
