package dataset_test

import (
	"bytes"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
)

func TestOpen(t *testing.T) {
	c := open(t, imdb(t, official), dataset.OpenOptions{Extra: true})
	assert.Equal(t, "imdb", c.Name)
	assert.Equal(t, "ptb", c.Tokenizer)
	assert.Equal(t, []string{"neg", "pos"}, c.Classes)
	// File names in the order of their bytes: "10_8" before "1_7".
	assert.Equal(t, []string{"train/neg/0_2", "train/neg/1_1", "train/pos/0_9", "train/pos/10_8", "train/pos/1_7"}, c.Train.Names)
	assert.Equal(t, []int32{0, 0, 1, 1, 1}, c.Train.Labels)
	assert.Equal(t, []string{"test/neg/0_3", "test/pos/0_10"}, c.Test.Names)
	assert.Equal(t, []int32{-1, -1}, c.Extra.Labels)
	assert.Equal(t, "a bad film ; i do n't like it .", wordsOf(c, &c.Train, 0))
	assert.Equal(t, "", wordsOf(c, &c.Train, 1))
	assert.Equal(t, "good good fun", wordsOf(c, &c.Train, 4))
	assert.Equal(t, "bad bad bad", wordsOf(c, &c.Test, 0))
	assert.Equal(t, "nobody said whether it is good", wordsOf(c, &c.Extra, 0))

	// The vocabulary: by falling count, then by bytes.
	assert.Equal(t, "good", c.Vocab.Word(0))
	assert.EqualValues(t, 6, c.Vocab.Count(0))
	assert.Equal(t, []string{"good", "bad", "it", ".", "a", "film", "i", "like"}, c.Vocab.Words()[:8])
	id, ok := c.Vocab.ID("bad")
	assert.True(t, ok)
	assert.EqualValues(t, 1, id)
	_, ok = c.Vocab.ID("missing")
	assert.False(t, ok)
}

// TestSameContent checks that neither the packing nor the order of the entries
// nor the number of cores shows.
func TestSameContent(t *testing.T) {
	want := open(t, imdb(t, official), dataset.OpenOptions{Extra: true})
	folder := t.TempDir()
	for _, e := range tiny {
		put(t, folder, e.name, []byte(e.text))
	}
	reversed := slices.Clone(tiny)
	slices.Reverse(reversed)
	noFolder := slices.Clone(tiny)
	for i := range noFolder {
		noFolder[i].name = "./" + noFolder[i].name[len("aclImdb/"):]
	}
	plain := t.TempDir()
	put(t, plain, "aclImdb.tar", tarOf(t, tiny))
	for name, dir := range map[string]string{"folder": folder, "reversed": imdb(t, reversed), "no folder": imdb(t, noFolder), "tar": plain} {
		for _, procs := range []int{1, 3} {
			old := runtime.GOMAXPROCS(procs)
			c := open(t, dir, dataset.OpenOptions{Extra: true, CacheDir: t.TempDir()})
			runtime.GOMAXPROCS(old)
			sameCorpus(t, want, c, name)
		}
	}
	other := slices.Clone(tiny)
	other[0].text += "!"
	assert.NotEqual(t, want.Digest, open(t, imdb(t, other), dataset.OpenOptions{}).Digest)
}

func sameCorpus(t *testing.T, want, got *dataset.Corpus, name string) {
	t.Helper()
	assert.Equal(t, want.Digest, got.Digest, name)
	assert.Equal(t, want.Vocab.Words(), got.Vocab.Words(), name)
	assert.Equal(t, want.Train, got.Train, name)
	assert.Equal(t, want.Test, got.Test, name)
	assert.Equal(t, want.Extra, got.Extra, name)
}

func TestWhitespaceCorpus(t *testing.T) {
	dir := imdb(t, tiny)
	c := open(t, dir, dataset.OpenOptions{Tokenizer: "whitespace"})
	assert.Equal(t, "good <br /><br />good fun", wordsOf(c, &c.Train, 4))
	assert.Equal(t, open(t, dir, dataset.OpenOptions{}).Digest, c.Digest, "the digest is of the content")
	assert.Zero(t, c.Extra.Len())
	_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{Tokenizer: "nltk"})
	assert.ErrorContains(t, err, `unknown tokeniser "nltk"`)
}

func TestLongReview(t *testing.T) {
	long := slices.Clone(tiny)
	long[0].text = string(bytes.Repeat([]byte("good bad "), 600_000)) // 5.4 MB
	c := open(t, imdb(t, long), dataset.OpenOptions{})
	assert.Len(t, c.Train.Words(2), 1_200_000)
}

func TestSample(t *testing.T) {
	c, err := dataset.Open(ctx, filepath.Join(t.TempDir(), "none"), "sample", dataset.OpenOptions{})
	require.NoError(t, err)
	assert.Greater(t, c.Train.Len(), 1000)
	assert.Greater(t, c.Test.Len(), 500)
	assert.NotEmpty(t, c.Digest)
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	_, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{})
	assert.EqualError(t, err, "data=imdb is not installed in "+dir+". Run: exp data fetch imdb (84 MB), or exp data add aclImdb_v1.tar.gz")
	_, err = dataset.Open(ctx, dir, "yelp", dataset.OpenOptions{})
	assert.EqualError(t, err, "data=yelp is not installed in "+dir+". Installed: sample. Own data: exp data add FILE --name NAME")
	_, err = dataset.OpenSource(dir, "imdb", dataset.OpenOptions{})
	assert.ErrorAs(t, err, new(*dataset.NotInstalledError))
	c, err := dataset.Open(ctx, dir, "sample", dataset.OpenOptions{})
	require.NoError(t, err)
	_, err = dataset.OpenVectors(ctx, dir, "glove50", c, dataset.OpenOptions{})
	assert.EqualError(t, err, "vectors=glove50 is not installed in "+dir+". Run: exp data fetch glove --dim 50 (69 MB), or exp data add glove.6B.zip. Without any: vectors=corpus")
	_, err = dataset.OpenVectors(ctx, dir, "nowhere.txt", c, dataset.OpenOptions{})
	assert.ErrorContains(t, err, "nowhere.txt")
}

func TestOpenSource(t *testing.T) {
	src, err := dataset.OpenSource(imdb(t, tiny), "imdb", dataset.OpenOptions{})
	require.NoError(t, err)
	texts := map[string]string{}
	require.NoError(t, src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		texts[r.ID] = r.Text
		return nil
	}))
	assert.Len(t, texts, len(tiny))
	assert.Equal(t, tiny[0].text, texts["train/pos/0_9"])
}
