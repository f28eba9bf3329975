package dataset_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
)

// gloveText is a small file that begins as GloVe 6B does.
func gloveText(dim int) string {
	var b strings.Builder
	for i, w := range []string{"the", ",", ".", "of", "good", "bad", "a", "film", "it", "'s", "n't", "unused"} {
		b.WriteString(w)
		for d := range dim {
			fmt.Fprintf(&b, " %.5f", float64(i+1)/10-float64(d)/1000)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestReadVectors(t *testing.T) {
	dir := t.TempDir()
	text := gloveText(50)
	plain := put(t, dir, "a.txt", []byte(text))
	want, err := dataset.ReadVectors(ctx, plain, dataset.VectorOptions{})
	require.NoError(t, err)
	assert.Equal(t, 50, want.Dim)
	assert.Equal(t, 12, want.Total)
	assert.Equal(t, "the", want.Words[0])
	assert.Equal(t, float32(0.1), want.Row(0)[0])
	assert.Equal(t, float32(1.2-0.049), want.Row(11)[49])

	for name, b := range map[string][]byte{
		"b.gz":  gz(t, []byte(text)),
		"c.zip": zipOf(t, map[string]string{"x/vectors.txt": text}),
		"d.txt": []byte("12 50\n" + text),
		"e.txt": []byte(strings.ReplaceAll(text, "\n", " \r\n") + "\n\n"),
	} {
		got, err := dataset.ReadVectors(ctx, put(t, dir, name, b), dataset.VectorOptions{})
		require.NoError(t, err, name)
		assert.Equal(t, want.Words, got.Words, name)
		assert.Equal(t, want.Rows, got.Rows, name)
		assert.Equal(t, name < "d", want.Digest == got.Digest, "%s: the digest is of the text", name)
	}

	kept, err := dataset.ReadVectors(ctx, plain, dataset.VectorOptions{Keep: []string{"good", "absent", "the"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"good", "the"}, kept.Words, "in the order asked for")
	assert.Equal(t, want.Row(4), kept.Row(0))
	assert.Equal(t, 12, kept.Total)
}

func TestZipMember(t *testing.T) {
	two := put(t, t.TempDir(), "two.zip", zipOf(t, map[string]string{"a.2d.txt": "x 1 2\n", "b.3d.txt": "x 1 2 3\n"}))
	v, err := dataset.ReadVectors(ctx, two, dataset.VectorOptions{Member: "b.3d.txt"})
	require.NoError(t, err)
	assert.Equal(t, 3, v.Dim)
	_, err = dataset.ReadVectors(ctx, two, dataset.VectorOptions{})
	assert.ErrorContains(t, err, `holds several files: choose one by FILE#NAME out of "a.2d.txt", "b.3d.txt"`)
	_, err = dataset.ReadVectors(ctx, two, dataset.VectorOptions{Member: "c"})
	assert.ErrorContains(t, err, `holds no c but "a.2d.txt"`)
	_, err = dataset.ReadVectors(ctx, put(t, t.TempDir(), "e.zip", zipOf(t, nil)), dataset.VectorOptions{})
	assert.ErrorContains(t, err, "empty zip")
}

func TestWordWithSpaces(t *testing.T) {
	v, err := dataset.ReadVectors(ctx, put(t, t.TempDir(), "v.txt", []byte("x 1 2\nat name@example.org 3 4\n. . . 5 6\n")), dataset.VectorOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "at name@example.org", ". . ."}, v.Words)
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, v.Rows)
}

func TestBadVectors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1: not word vectors"},
		{"word\n", "line 1: not word vectors"},
		{"a 1 2\nb 1\n", "line 2: has 1 values instead of 2"},
		{"a 1 2\nb 1 2 3\n", "line 2: has 3 values instead of 2"},
		{"a 1 2\nb\n", `line 2: has no values after "b"`},
		{"a 1 2\nb 1 x\n", `line 2: value 2, "x", is not a number`},
		{"a 1 2\nb 1 2x\n", `line 2: value 2, "2x", is not a number`},
		{"a 1 2\nb 1  2\n", `line 2: value 2, "", is not a number`},
		{"a 1 2\n\nb 1 NaN\n", `line 3: value 2, "NaN", is not a finite float32`},
		{"a 1 2\nb 1 -inf\n", `value 2, "-inf", is not a finite float32`},
		{"a 1 2\nb 1 1e39\n", `value 2, "1e39", is not a finite float32`},
		{"a 1 2\nb 1 2\na 3 4\n", `line 3: word "a" is on line 1 already`},
		{"a 1 2\nb\xff 1 2\n", "line 2: the word \"b\\xff\" is not UTF-8"},
		{"5 2\na 1 2\n", "line 1 announces 5 words, but there are 1"},
		{"1 3\na 1 2\n", "line 2: has 2 values, but line 1 announces 3"},
		{"a" + strings.Repeat(" 1", 5000) + "\n", "not word vectors: a line is a word and 1 to 4096 numbers"},
		{"a 1 2\n" + strings.Repeat("x", 6<<20), "line 2: is longer than"},
	} {
		path := put(t, t.TempDir(), "bad.txt", []byte(c.text))
		_, err := dataset.ReadVectors(ctx, path, dataset.VectorOptions{})
		assert.ErrorContains(t, err, c.want, "%.40q", c.text)
		assert.ErrorContains(t, err, path)
	}
	path := put(t, t.TempDir(), "bad.txt", []byte(gloveText(50)))
	_, err := dataset.ReadVectors(ctx, path, dataset.VectorOptions{MaxBytes: 100})
	assert.ErrorContains(t, err, "more than 100 bytes")
	whole := gz(t, []byte(gloveText(50)))
	for n := 3; n < len(whole); n += 1 + n/5 {
		_, err = dataset.ReadVectors(ctx, put(t, t.TempDir(), "cut.gz", whole[:n]), dataset.VectorOptions{})
		assert.ErrorContains(t, err, "get it again", "cut at %d", n)
	}
	zipped := zipOf(t, map[string]string{"v.txt": gloveText(50)})
	zipped[60] ^= 0x55
	_, err = dataset.ReadVectors(ctx, put(t, t.TempDir(), "v.zip", zipped), dataset.VectorOptions{})
	assert.ErrorContains(t, err, "v.zip")
}

// TestManyLines crosses the borders of chunks, with any number of workers, and
// finds the first of several errors.
func TestManyLines(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, "w%d %d.%d -%d.5 1e-3\n", i, i, i%7, i)
	}
	dir := t.TempDir()
	good := put(t, dir, "good.txt", []byte(b.String()))
	bad := put(t, dir, "bad.txt", []byte(strings.NewReplacer("w40000 ", "w40000 x", "w50000 ", "w50000 x").Replace(b.String())))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		v, err := dataset.ReadVectors(ctx, good, dataset.VectorOptions{})
		require.NoError(t, err)
		require.Len(t, v.Words, 60_000)
		for i, w := range v.Words {
			require.Equal(t, fmt.Sprintf("w%d", i), w)
			require.Equal(t, -float32(i)-0.5, v.Row(i)[1])
		}
		_, err = dataset.ReadVectors(ctx, bad, dataset.VectorOptions{})
		assert.ErrorContains(t, err, "line 40001: ")
	}
}

func TestOwnVectors(t *testing.T) {
	c, err := dataset.Open(ctx, t.TempDir(), "sample", dataset.OpenOptions{})
	require.NoError(t, err)
	a, err := dataset.RandomVectors(c, 20, 7)
	require.NoError(t, err)
	b, err := dataset.RandomVectors(c, 20, 8)
	require.NoError(t, err)
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
	_, err = dataset.RandomVectors(c, 0, 1)
	assert.ErrorContains(t, err, "vectors.dim=0")

	v, err := dataset.CorpusVectors(ctx, t.TempDir(), c, corpusvec.Options{Dim: 10, Seed: 1}, dataset.OpenOptions{})
	require.NoError(t, err)
	assert.Equal(t, 10, v.Dim)
	assert.Len(t, v.Rows, 10*len(v.Words))
	assert.NotEmpty(t, v.Words)
}

func TestCorpusVectorsCache(t *testing.T) {
	dir := imdb(t, tiny)
	c := open(t, dir, dataset.OpenOptions{Extra: true})
	o := corpusvec.Options{Dim: 3, Seed: 1}
	a, err := dataset.CorpusVectors(ctx, dir, c, o, dataset.OpenOptions{})
	require.NoError(t, err)
	assert.NotContains(t, a.Words, "unseen", "test reviews are never read")
	assert.Contains(t, a.Words, "nobody", "unlabelled ones are")
	b, err := dataset.CorpusVectors(ctx, dir, c, o, dataset.OpenOptions{})
	require.NoError(t, err)
	assert.Equal(t, a, b)
	files, err := filepath.Glob(filepath.Join(dir, "cache", "vectors-*"))
	require.NoError(t, err)
	assert.Len(t, files, 1)
}
