package dataset_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// tenValues is the values of a row: " 1 2 … 10" with some of them replaced.
func tenValues(last ...string) string {
	v := strings.Fields("1 2 3 4 5 6 7 8 9 10")
	copy(v[len(v)-len(last):], last)
	return " " + strings.Join(v, " ")
}

func TestReadVectors(t *testing.T) {
	dir := t.TempDir()
	text := fixture.GloVe(50)
	plain := fixture.Put(t, dir, "a.txt", []byte(text))
	want := must.Get(vectors.Read(ctx, plain, vectors.Options{}))(t)
	assert.Equal(t, 50, want.Dim)
	assert.Equal(t, 12, want.Total)
	assert.Equal(t, "the", want.Words[0])
	assert.Equal(t, float32(0.1), want.Row(0)[0])
	assert.Equal(t, float32(1.2-0.049), want.Row(11)[49])

	for name, b := range map[string][]byte{
		"b.gz":  fixture.Gzip(t, []byte(text)),
		"b.zst": fixture.Zstd(t, []byte(text)),
		"c.zip": fixture.Zip(t, map[string]string{"x/vectors.txt": text}),
		"d.txt": []byte("12 50\n" + text),
		"e.txt": []byte(strings.ReplaceAll(text, "\n", " \r\n") + "\n\n"),
		"f.txt": []byte("12 50\r\n" + strings.TrimSuffix(text, "\n")),
	} {
		got := must.Get(vectors.Read(ctx, fixture.Put(t, dir, name, b), vectors.Options{}))(t)
		assert.Equal(t, want.Words, got.Words, name)
		assert.Equal(t, want.Rows, got.Rows, name)
		assert.Equal(t, name < "d", want.Digest == got.Digest, "%s: the digest is of the text", name)
	}

	kept := must.Get(vectors.Read(ctx, plain, vectors.Options{Keep: []string{"good", "absent", "the"}}))(t)
	assert.Equal(t, []string{"good", "the"}, kept.Words, "in the order asked for")
	assert.Equal(t, want.Row(4), kept.Row(0))
	assert.Equal(t, 12, kept.Total)
}

// TestWordWithSpaces reads rows like some of GloVe 840B's, also as the first.
func TestWordWithSpaces(t *testing.T) {
	for _, words := range map[string][]string{
		"within": {"x", "at name@example.org", ". . ."},
		"first":  {". . .", "x", "y"},
	} {
		text := ""
		for _, w := range words {
			text += w + tenValues() + "\n"
		}
		for _, header := range []string{"", "3 10\n"} {
			v := must.Get(vectors.Read(ctx, put(t, "v.txt", []byte(header+text)), vectors.Options{}))(t)
			assert.Equal(t, words, v.Words)
			assert.Equal(t, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, v.Row(2))
		}
	}
}

// An editor's mark at the beginning belongs to no word.
func TestMarkedVectors(t *testing.T) {
	a := "a" + tenValues() + "\nb" + tenValues("7") + "\n"
	for name, text := range map[string]string{"glove": a, "word2vec": "2 10\n" + a, "binary": string(fixture.Word2Vec([]string{"a", "b"}, 10, "\n"))} {
		path := put(t, name, []byte("\xef\xbb\xbf"+text))
		got, _, err := vectors.Detect(ctx, path)
		require.NoError(t, err)
		assert.Equal(t, 10, got, name)
		v := must.Get(vectors.Read(ctx, path, vectors.Options{}))(t)
		assert.Equal(t, []string{"a", "b"}, v.Words, name)
	}
	_, err := vectors.Read(ctx, put(t, "bad", []byte("\xef\xbb\xbf"+a+"c 1\n")), vectors.Options{})
	assert.ErrorContains(t, err, "line 3: has 1 values")
	got, _, err := vectors.Detect(ctx, put(t, "reviews.csv", "\xef\xbb\xbftext,label\na,1\n"))
	require.NoError(t, err)
	assert.Zero(t, got)
}

func TestBadVectors(t *testing.T) {
	a := "a" + tenValues() + "\n"
	for _, c := range []struct{ text, want string }{
		{"", "line 1: not word vectors"},
		{"word\n", "line 1: not word vectors"},
		{"Once upon a time there was a review of a film that went on\n", "line 1: not word vectors: a line is a word and 10 to 1000 numbers"},
		{a + "b 1\n", "line 2: has 1 values instead of 10: correct or remove the line"},
		{a + "b" + tenValues() + " 11\n", "line 2: has 11 values instead of 10"},
		{a + "b\n", "line 2: has 0 values instead of 10"},
		{a + "b" + tenValues("x") + "\n", `line 2: value 10, "x", is not a number`},
		{a + "b" + tenValues("", "9") + "\n", `line 2: value 9, "", is not a number`},
		{a + "b" + tenValues("2x") + "\n", `line 2: value 10, "2x", is not a number`},
		{a + "\nb" + tenValues("NaN") + "\n", `line 3: value 10, "NaN", is not a finite float32`},
		{a + "b" + tenValues("-inf") + "\n", `value 10, "-inf", is not a finite float32`},
		{a + "b" + tenValues("1e39") + "\n", `value 10, "1e39", is not a finite float32`},
		{a + "b\x00" + tenValues() + "\n", `line 2: the word "b\x00" contains a NUL byte`},
		{a + "b" + tenValues("9\x00") + "\n", `line 2: value 10, "9\x00", is not a number`},
		{a + tenValues() + "\n", "line 2: has no word before its values"},
		{"5 10\n" + a, "line 1 declares 5 words, but there are 1"},
		{"1 10\n" + a + "b" + tenValues() + "\n", "line 1 declares 1 words, but there are 2: get the file again, or correct line 1"},
		{"1 11\n" + a, "line 2: has 10 values instead of 11"},
		{"2 10\n" + a + "b" + tenValues("x") + "\n", `line 3: value 10, "x"`},
		{"0 50\n", "line 1: declares 0 words, but none follow"},
		{"3 10\n", "line 1: declares 3 words, but none follow"},
		{"99999999999999999999999999 300\n" + a, "line 1: not word vectors"},
		{"2000000000 1000\n" + a, "line 1"},
		{a + strings.Repeat("x", 6<<20), "line 2: is longer than"},
		{strings.Repeat("x", 6<<20), "not word vectors"},
	} {
		path := put(t, "bad.txt", []byte(c.text))
		for _, keep := range [][]string{nil, {}} { // whether its word is kept or not
			_, err := vectors.Read(ctx, path, vectors.Options{Keep: keep})
			assert.ErrorContains(t, err, c.want, "%.40q", c.text)
			assert.ErrorContains(t, err, path)
		}
	}
	zipped := fixture.Zip(t, map[string]string{"v.txt": fixture.GloVe(50)})
	zipped[60] ^= 0x55
	assert.ErrorContains(t, must.Fail(vectors.Read(ctx, put(t, "v.zip", zipped), vectors.Options{})), "v.zip")
}

// A word that is not UTF-8, or is repeated, costs nothing but itself, unless most words are.
func TestNotUTF8(t *testing.T) {
	row := tenValues() + "\n"
	for name, file := range map[string]string{
		"a.txt": "a" + row + "caf\xe9" + row + "b" + row + "a" + row, "a.vec": "4 10\na" + row + "caf\xe9" + row + "b" + row + "a" + row,
		"a.bin": string(fixture.Word2Vec([]string{"a", "caf\xe9", "b", "a"}, 10, "\n")),
	} {
		path := put(t, name, file)
		for _, keep := range [][]string{nil, {"a", "b"}} {
			var warned []error
			v := must.Get(vectors.Read(ctx, path, vectors.Options{Keep: keep, Warn: func(err error) { warned = append(warned, err) }}))(t)
			assert.Equal(t, []string{"a", "b"}, v.Words)
			assert.Equal(t, 2, v.Total)
			assert.Len(t, v.Rows, 20)
			require.Len(t, warned, 1)
			assert.ErrorContains(t, warned[0], name+`: 2 of 4 words are not UTF-8 or repeat an earlier one, such as "caf\xe9": they are skipped`)
		}
	}
	_, err := vectors.Read(ctx, put(t, "a.txt", []byte("a"+row+"\xe9"+row+"\xe8"+row)), vectors.Options{})
	assert.ErrorContains(t, err, "2 of 3 words are not UTF-8")
}

// TestCutVectors cuts each kind of file at many places: none passes for whole,
// but text that is cut between two lines and has no header.
func TestCutVectors(t *testing.T) {
	dir, text := t.TempDir(), []byte("12 50\n"+fixture.GloVe(50))
	for name, whole := range map[string][]byte{
		"text":        bytes.TrimSuffix(text, []byte("\n")),
		"gzip":        fixture.Gzip(t, text),
		"zstd":        fixture.Zstd(t, text),
		"zip":         fixture.Zip(t, map[string]string{"v.txt": string(text)}),
		"binary":      fixture.Word2Vec(fixture.Words(12), 50, ""),
		"binary gzip": fixture.Gzip(t, fixture.Word2Vec(fixture.Words(12), 50, "\n")),
	} {
		must.Get(vectors.Read(ctx, fixture.Put(t, dir, "whole", whole), vectors.Options{}))(t)
		for n := 0; n < len(whole); n += (1 + n/30) * fixture.Every(4) {
			path := fixture.Put(t, dir, "cut", whole[:n])
			assert.ErrorContains(t, must.Fail(vectors.Read(ctx, path, vectors.Options{})), path, "%s cut at %d", name, n)
		}
	}
}

func TestOwnVectors(t *testing.T) {
	c := must.Get(folder.Corpus(ctx, t.TempDir(), "sample", folder.Options{}))(t)
	a := vectors.Random(c, 20, 7)
	b := vectors.Random(c, 20, 8)
	assert.NotEqual(t, a.Rows, b.Rows)
	assert.NotEqual(t, a.Digest, b.Digest)
	sum, squares := 0.0, 0.0
	for _, x := range a.Rows {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	n := float64(len(a.Rows))
	assert.InDelta(t, 0, sum/n, 0.02)
	assert.InDelta(t, 0.16, squares/n, 0.01)

	v := must.Get(folder.CorpusVectors(ctx, t.TempDir(), c, corpusvec.Options{Dim: 10, Seed: 1}, folder.Options{}))(t)
	assert.Equal(t, 10, v.Dim)
	assert.Len(t, v.Rows, 10*len(v.Words))
	assert.NotEmpty(t, v.Words)
}

func TestCorpusVectorsCache(t *testing.T) {
	dir := fixture.IMDB(t, fixture.Tiny)
	c := fixture.Open(t, dir, folder.Options{Extra: true})
	o := corpusvec.Options{Dim: 3, Seed: 1}
	a := must.Get(folder.CorpusVectors(ctx, dir, c, o, folder.Options{}))(t)
	assert.NotContains(t, a.Words, "unseen", "test reviews are never read")
	assert.Contains(t, a.Words, "nobody", "unlabelled ones are")
	b := must.Get(folder.CorpusVectors(ctx, dir, c, o, folder.Options{}))(t)
	assert.Equal(t, a, b)
	files := must.Get(filepath.Glob(filepath.Join(dir, "cache", "vectors-*")))(t)
	assert.Len(t, files, 1)

	require.NoError(t, os.Remove(files[0]))
	o.MaxPairs = 20
	for range 2 { // trained, and out of the cache
		var heard []error
		few := must.Get(folder.CorpusVectors(ctx, dir, c, o, folder.Options{Warn: func(err error) { heard = append(heard, err) }}))(t)
		assert.NotEqual(t, a.Digest, few.Digest, "other vectors")
		require.Len(t, heard, 1)
		assert.ErrorContains(t, heard[0], "the rarest words were omitted")
	}
}
