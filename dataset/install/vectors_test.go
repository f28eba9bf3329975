package dataset_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/fsx"
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
	text, bin := []byte(gloveText(50)), word2vec(strings.Fields("the film good unused"), 20, "\n")
	two := put(t, from, "two.zip", zipOf(t, map[string]string{"a/one.txt": string(text), "two.bin": string(bin)}))
	c, err := dataset.Open(ctx, t.TempDir(), "sample", dataset.OpenOptions{})
	require.NoError(t, err)
	for final, x := range map[string]struct {
		file       string
		dim, words int
	}{
		"mine.vectors.txt":     {put(t, from, "v", text), 50, 12},
		"mine.vectors.txt.gz":  {put(t, from, "v.bin", gz(t, text)), 50, 12},
		"mine.vectors.bin":     {put(t, from, "b.txt", bin), 20, 4},
		"mine.vectors.bin.zst": {put(t, from, "b.zst", zst(t, bin)), 20, 4},
		"mine.vectors.txt.zip": {two + "#one.txt", 50, 12},
		"mine.vectors.bin.zip": {two + "#two.bin", 20, 4},
	} {
		t.Run(final, func(t *testing.T) {
			dir := t.TempDir()
			added, err := dataset.AddVectors(ctx, dir, x.file, "mine", dataset.OpenOptions{Warn: func(err error) { t.Error(err) }})
			require.NoError(t, err)
			path := filepath.Join(dir, final)
			assert.Equal(t, []any{dataset.VectorsKind, "mine", path, x.words, []int{x.dim}},
				[]any{added.Kind, added.Name, added.Path, added.Words, added.Dims})
			assert.Equal(t, []string{"installed.json", final}, names(t, dir))
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, info.Size(), added.Bytes)
			noted, err := dataset.Records(dir)
			require.NoError(t, err)
			assert.Equal(t, dataset.Record{Digests: map[string]string{"mine": added.Digest}, Words: x.words}, noted[final])

			v, err := dataset.OpenVectors(ctx, dir, "mine", c, dataset.OpenOptions{})
			require.NoError(t, err)
			assert.Equal(t, []any{"mine", x.dim, added.Digest, x.words}, []any{v.Name, v.Dim, v.Digest, v.Total})
			assert.Contains(t, v.Words, "good")
			for range 2 { // from the file, then from the cache
				all, err := dataset.OpenAllVectors(ctx, dir, "mine", dataset.OpenOptions{})
				require.NoError(t, err)
				assert.Equal(t, []any{"mine", x.dim, added.Digest, x.words}, []any{all.Name, all.Dim, all.Digest, all.Total})
				assert.Equal(t, "unused", all.Words[x.words-1])
			}
		})
	}
}

func TestAddNamedVectorsAgain(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	first, err := dataset.AddVectors(ctx, dir, put(t, from, "v.gz", gz(t, []byte(gloveText(50)))), "mine", dataset.OpenOptions{})
	require.NoError(t, err)
	bad := put(t, from, "bad", []byte(gloveText(50)+"end 1 2\n"))
	_, err = dataset.AddVectors(ctx, dir, bad, "mine", dataset.OpenOptions{})
	assert.ErrorContains(t, err, bad+": line 13: ")
	assert.Equal(t, []string{"installed.json", "mine.vectors.txt.gz"}, names(t, dir), "still the first")
	again, err := dataset.AddVectors(ctx, dir, first.Path, "mine", dataset.OpenOptions{})
	require.NoError(t, err, "onto itself")
	assert.Equal(t, first, again)
	_, err = dataset.OpenAllVectors(ctx, dir, "mine", dataset.OpenOptions{})
	require.NoError(t, err)
	cached, err := filepath.Glob(filepath.Join(dir, "cache", "vectors-*"))
	require.NoError(t, err)
	assert.Len(t, cached, 1)
	_, err = dataset.AddVectors(ctx, dir, put(t, from, "b", word2vec(words(30), 10, "")), "mine", dataset.OpenOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"installed.json", "mine.vectors.bin"}, names(t, dir))
	assert.NoFileExists(t, cached[0])
	noted, err := dataset.Records(dir)
	require.NoError(t, err)
	assert.Len(t, noted, 1)
	v, err := dataset.OpenAllVectors(ctx, dir, "mine", dataset.OpenOptions{})
	require.NoError(t, err)
	assert.Equal(t, words(30), v.Words)
}

func TestAddNamedVectorsRefuses(t *testing.T) {
	from := t.TempDir()
	good := put(t, from, "good", []byte(gloveText(50)))
	two := put(t, from, "two.zip", zipOf(t, map[string]string{"one.txt": gloveText(50), "two.txt": gloveText(100)}))
	zipped := zipOf(t, map[string]string{"v.txt": gloveText(50)})
	zipped[60] ^= 0x55
	for what, x := range map[string]struct{ file, name, want string }{
		"no name":     {good, "", "use up to 64 small letters, digits and hyphens"},
		"path":        {good, "../x", "use up to 64 small letters"},
		"capitals":    {good, "Mine", "use up to 64 small letters"},
		"long":        {good, strings.Repeat("x", 65), "use up to 64 small letters"},
		"reserved":    {good, "corpus", "means something already"},
		"glove":       {good, "glove50", "means something already"},
		"none":        {filepath.Join(from, "none"), "mine", "none"},
		"no zip":      {good + "#x.txt", "mine", `not a zip, so that it has no member "x.txt"`},
		"which":       {two, "mine", "two.zip: holds several files: choose one by FILE#NAME"},
		"no member":   {two + "#x", "mine", "two.zip: holds no x"},
		"text":        {put(t, from, "t", []byte("A good film.\n")), "mine", "t: line 1: not word vectors"},
		"cut":         {put(t, from, "cut.gz", gz(t, []byte(gloveText(50)))[:200]), "mine", "cut.gz: cut off"},
		"damaged zip": {put(t, from, "d.zip", zipped), "mine", "d.zip"},
		"folder":      {from, "mine", ""},
	} {
		dir := t.TempDir()
		_, err := dataset.AddVectors(ctx, dir, x.file, x.name, dataset.OpenOptions{})
		assert.ErrorContains(t, err, x.want, what)
		assert.NotContains(t, err.Error(), "incoming", "messages name the user's file")
		assert.Empty(t, names(t, dir), what)
	}
}

// TestAddVectorsOnFullDisk fails at each of the changes to the disk in turn.
func TestAddVectorsOnFullDisk(t *testing.T) {
	file := put(t, t.TempDir(), "v", []byte(gloveText(50)))
	for n := 1; ; n++ {
		dir, ops := t.TempDir(), 0
		restore := fsx.Inject(func(op fsx.Op) error {
			if op.Do == fsx.Remove || strings.Contains(op.Path, "cache") { // on which nothing depends
				return nil
			}
			if ops++; ops == n {
				return syscall.ENOSPC
			}
			return nil
		})
		var warned error
		_, err := dataset.AddVectors(ctx, dir, file, "mine", dataset.OpenOptions{Warn: func(err error) { warned = err }})
		restore()
		if ops < n {
			require.NoError(t, err)
			require.Greater(t, n, 4)
			return
		}
		require.ErrorIs(t, cmp.Or(err, warned), syscall.ENOSPC)
		assert.NoDirExists(t, filepath.Join(dir, "incoming"))
		if v, err := dataset.OpenAllVectors(ctx, dir, "mine", dataset.OpenOptions{}); err == nil {
			assert.Equal(t, 12, v.Total, "whole, if it is there")
		}
		added, err := dataset.AddVectors(ctx, dir, file, "mine", dataset.OpenOptions{})
		require.NoError(t, err, "once there is room")
		assert.Equal(t, 12, added.Words)
	}
}

func TestAddVectorsOneAtATime(t *testing.T) {
	dir := t.TempDir()
	file := put(t, t.TempDir(), "v", []byte(gloveText(50)))
	lock, err := fsx.Acquire(filepath.Join(dir, "lock"))
	require.NoError(t, err)
	_, err = dataset.AddVectors(ctx, dir, file, "mine", dataset.OpenOptions{})
	assert.ErrorContains(t, err, "something else is being added")
	require.NoError(t, lock.Release())
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, err = dataset.AddVectors(stopped, dir, file, "mine", dataset.OpenOptions{})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, names(t, dir))
}

func TestFindVectors(t *testing.T) {
	dir, from := t.TempDir(), t.TempDir()
	c, err := dataset.Open(ctx, dir, "sample", dataset.OpenOptions{})
	require.NoError(t, err)
	_, err = dataset.AddVectors(ctx, dir, put(t, from, "v", []byte(gloveText(50))), "mine", dataset.OpenOptions{})
	require.NoError(t, err)
	_, err = dataset.OpenVectors(ctx, dir, "yours", c, dataset.OpenOptions{})
	require.ErrorAs(t, err, new(*dataset.NotInstalledError))
	assert.ErrorContains(t, err, "vectors=yours is not installed in "+dir+". Use corpus, random, mine, a file, or add one: exp data add FILE --name yours")
	_, err = dataset.OpenVectors(ctx, dir, "glove70", c, dataset.OpenOptions{})
	assert.ErrorContains(t, err, "exp data fetch glove")

	zipped := put(t, from, "odd#name.zip", zipOf(t, map[string]string{"a.txt": gloveText(50), "b.txt": gloveText(60)}))
	for name, dim := range map[string]int{zipped + "#a.txt": 50, zipped + "#b.txt": 60, put(t, from, "x#y", []byte(gloveText(70))): 70} {
		v, err := dataset.OpenVectors(ctx, dir, name, c, dataset.OpenOptions{})
		require.NoError(t, err)
		assert.Equal(t, dim, v.Dim)
		assert.Equal(t, name, v.Name)
	}
}

func TestDetectVectors(t *testing.T) {
	from := t.TempDir()
	text, bin := gloveText(50), word2vec(words(30), 20, "")
	for what, x := range map[string]struct {
		b    []byte
		dims []int // none: no vectors
		err  string
	}{
		"text":       {[]byte(text), []int{50}, ""},
		"header":     {[]byte("12 50\n" + text), []int{50}, ""},
		"gzip":       {gz(t, []byte(text)), []int{50}, ""},
		"binary":     {bin, []int{20}, ""},
		"zstd":       {zst(t, bin), []int{20}, ""},
		"zip":        {zipOf(t, map[string]string{"README": "x", "a": text, "b": string(bin)}), []int{20, 50}, ""},
		"bad value":  {[]byte(strings.Replace(text, "0.1", "NaN", 1)), []int{50}, ""}, // for the reader to say so
		"9":          {[]byte(gloveText(9)), nil, "line 1: has vectors of 9 dimensions"},
		"1001":       {[]byte(gloveText(1001)), nil, "line 1: has vectors of 1001 dimensions"},
		"fastText":   {[]byte("\xba\x16\x4f\x2f\x0c\x00\x00\x00"), nil, "take the .vec file"},
		"empty":      {nil, nil, ""},
		"review":     {[]byte("pos\tA film of 10 stars that is not worth the money you pay for it 10\n"), nil, ""},
		"csv":        {[]byte("text,label\n\"A good film\",1\n"), nil, ""},
		"numbers":    {[]byte("1 10\n0 9\n"), nil, ""},
		"tar":        {tarOf(t, tiny), nil, ""},
		"cut gzip":   {[]byte("\x1f\x8b\x08"), nil, "cut gzip: "},
		"other zip":  {zipOf(t, map[string]string{"a.txt": "a"}), nil, ""},
		"broken zip": {[]byte("PK\x03\x04"), nil, "broken zip: "},
	} {
		found, ok, err := dataset.DetectVectors(ctx, put(t, from, what, x.b))
		if x.err != "" {
			assert.ErrorContains(t, err, x.err, what)
		} else {
			assert.NoError(t, err, what)
		}
		assert.Equal(t, x.dims != nil, ok, what)
		assert.Equal(t, x.dims, found.Dims, what)
	}
	for _, name := range []string{"9", "header", "binary", "zip"} { // without a name they cannot be added
		_, err := dataset.Detect(ctx, filepath.Join(from, name))
		assert.ErrorContains(t, err, "--name NAME", name)
	}
	_, ok, err := dataset.DetectVectors(ctx, from)
	assert.NoError(t, err)
	assert.False(t, ok, "a folder")
	_, _, err = dataset.DetectVectors(ctx, filepath.Join(from, "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	found, ok, err := dataset.DetectVectors(ctx, filepath.Join(from, "zip")+"#b")
	assert.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, []int{20}, found.Dims)
}
