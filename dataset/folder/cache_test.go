package folder_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func TestCache(t *testing.T) {
	dir := fixture.IMDB(t, fixture.Tiny)
	var n atomic.Int64
	first := fixture.Open(t, dir, fixture.Reads(&n))
	require.NotZero(t, n.Swap(0))
	sameCorpus(t, first, fixture.Open(t, dir, fixture.Reads(&n)), "second start")
	assert.Zero(t, n.Swap(0), "the second start reads the cache")

	fixture.Open(t, dir, folder.Options{Tokenizer: "whitespace", Progress: fixture.Reads(&n).Progress})
	assert.NotZero(t, n.Swap(0), "another tokeniser reads the source")

	files := must.Get(filepath.Glob(filepath.Join(dir, "cache", "*.bin")))(t)
	require.Len(t, files, 4)
	for _, f := range files {
		b := must.Get(os.ReadFile(f))(t)
		for _, bad := range [][]byte{nil, b[:len(b)/2], append([]byte("x"), b[1:]...), append(b[:len(b)-1:len(b)-1], b[len(b)-1]^1)} {
			require.NoError(t, os.WriteFile(f, bad, 0o644))
			sameCorpus(t, first, fixture.Open(t, dir, folder.Options{Extra: true}), "damaged cache")
		}
	}

	more := append([]fixture.Entry{{Name: "aclImdb/train/pos/9_9.txt", Text: "new"}}, fixture.Tiny...)
	fixture.Put(t, dir, "aclImdb.tar.gz", fixture.Gzip(t, fixture.Tar(t, more)))
	later := time.Now().Add(time.Minute)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "aclImdb.tar.gz"), later, later))
	assert.Equal(t, first.Train.Len()+1, fixture.Open(t, dir, folder.Options{}).Train.Len(), "a changed source is read again")
}

func TestCacheImpossible(t *testing.T) {
	dir := fixture.IMDB(t, fixture.Tiny)
	fixture.Put(t, dir, "cache", []byte("a file where the folder should be"))
	var warnings []error
	c := fixture.Open(t, dir, folder.Options{Warn: func(err error) { warnings = append(warnings, err) }})
	assert.Equal(t, 5, c.Train.Len())
	require.Len(t, warnings, 1)
	assert.ErrorContains(t, warnings[0], "data=imdb is not cached")
	_, err := folder.Corpus(ctx, dir, "imdb", folder.Options{})
	assert.NoError(t, err, "nobody need listen")
}

// TestTogether opens the same data from several places at once: the source is
// read once.
func TestTogether(t *testing.T) {
	dir := fixture.IMDB(t, fixture.Tiny)
	var ends atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var last int64
			o := folder.Options{Progress: func(done, total int64) {
				if done == total && last != total {
					ends.Add(1)
				}
				last = done
			}}
			c, err := folder.Corpus(ctx, dir, "imdb", o)
			assert.NoError(t, err)
			assert.Equal(t, 5, c.Train.Len())
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, ends.Load())
}

func TestVectorCache(t *testing.T) {
	dir := fixture.IMDB(t, fixture.Tiny)
	fixture.Put(t, dir, "glove.6B.50d.txt", []byte(fixture.GloVe(50)))
	c := fixture.Open(t, dir, folder.Options{})
	var n atomic.Int64
	first := must.Get(folder.Vectors(ctx, dir, "glove50", c, fixture.Reads(&n)))(t)
	require.NotZero(t, n.Swap(0))
	assert.Equal(t, "glove50", first.Name)
	second := must.Get(folder.Vectors(ctx, dir, "glove50", c, fixture.Reads(&n)))(t)
	assert.Zero(t, n.Load())
	assert.Equal(t, first, second)

	files := must.Get(filepath.Glob(filepath.Join(dir, "cache", "vectors-*.bin")))(t)
	require.Len(t, files, 1)
	require.NoError(t, os.WriteFile(files[0], []byte("damaged"), 0o644))
	third := must.Get(folder.Vectors(ctx, dir, "glove50", c, fixture.Reads(&n)))(t)
	assert.Equal(t, first, third)
}
