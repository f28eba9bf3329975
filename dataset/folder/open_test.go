package folder_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func TestOpen(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Official), folder.Options{Extra: true})
	assert.Equal(t, "imdb", c.Name)
	assert.Equal(t, "ptb", c.Tokenizer)
	assert.Equal(t, []string{"neg", "pos"}, c.Classes)
	// File names in the order of their bytes: "10_8" before "1_7".
	assert.Equal(t, []string{"train/neg/0_2", "train/neg/1_1", "train/pos/0_9", "train/pos/10_8", "train/pos/1_7"}, c.Train.Names)
	assert.Equal(t, []int32{0, 0, 1, 1, 1}, c.Train.Labels)
	assert.Equal(t, []string{"test/neg/0_3", "test/pos/0_10"}, c.Test.Names)
	assert.Equal(t, []int32{-1, -1}, c.Extra.Labels)
	assert.Equal(t, "a bad film ; i do n't like it .", fixture.WordsOf(c, &c.Train, 0))
	assert.Equal(t, "", fixture.WordsOf(c, &c.Train, 1))
	assert.Equal(t, "good good fun", fixture.WordsOf(c, &c.Train, 4))
	assert.Equal(t, "bad bad bad", fixture.WordsOf(c, &c.Test, 0))
	assert.Equal(t, "nobody said whether it is good", fixture.WordsOf(c, &c.Extra, 0))

	// The vocabulary: by falling count, then by bytes.
	assert.Equal(t, "good", c.Vocab.Words[0])
	assert.EqualValues(t, 6, c.Vocab.Counts[0])
	assert.Equal(t, []string{"good", "bad", "it", ".", "a", "film", "i", "like"}, c.Vocab.Words[:8])
}

// TestSameContent checks that neither the packing nor the order of the entries
// nor the number of cores shows.
func TestSameContent(t *testing.T) {
	want := fixture.Open(t, fixture.IMDB(t, fixture.Official), folder.Options{Extra: true})
	unpacked := t.TempDir()
	for _, e := range fixture.Tiny {
		fixture.Put(t, unpacked, e.Name, []byte(e.Text))
	}
	reversed := slices.Clone(fixture.Tiny)
	slices.Reverse(reversed)
	noFolder := slices.Clone(fixture.Tiny)
	for i := range noFolder {
		noFolder[i].Name = "./" + noFolder[i].Name[len("aclImdb/"):]
	}
	plain := t.TempDir()
	fixture.Put(t, plain, "aclImdb.tar", fixture.Tar(t, fixture.Tiny))
	for name, dir := range map[string]string{"folder": unpacked, "reversed": fixture.IMDB(t, reversed), "no folder": fixture.IMDB(t, noFolder), "tar": plain} {
		for _, procs := range []int{1, 3} {
			old := runtime.GOMAXPROCS(procs)
			c := fixture.Open(t, dir, folder.Options{Extra: true, CacheDir: t.TempDir()})
			runtime.GOMAXPROCS(old)
			sameCorpus(t, want, c, name)
		}
	}
	other := slices.Clone(fixture.Tiny)
	other[0].Text += "!"
	assert.NotEqual(t, want.Digest, fixture.Open(t, fixture.IMDB(t, other), folder.Options{}).Digest)
}

func sameCorpus(t *testing.T, want, got *dataset.Corpus, name string) {
	t.Helper()
	assert.Equal(t, want.Digest, got.Digest, name)
	assert.Equal(t, want.Vocab.Words, got.Vocab.Words, name)
	assert.Equal(t, want.Train, got.Train, name)
	assert.Equal(t, want.Test, got.Test, name)
	assert.Equal(t, want.Extra, got.Extra, name)
}

func TestWhitespaceCorpus(t *testing.T) {
	dir := fixture.IMDB(t, fixture.Tiny)
	c := fixture.Open(t, dir, folder.Options{Tokenizer: "whitespace"})
	assert.Equal(t, "good <br /><br />good fun", fixture.WordsOf(c, &c.Train, 4))
	assert.Equal(t, fixture.Open(t, dir, folder.Options{}).Digest, c.Digest, "the digest is of the content")
	assert.Zero(t, c.Extra.Len())
	assert.ErrorContains(t, must.Fail(folder.Corpus(ctx, dir, "imdb", folder.Options{Tokenizer: "nltk"})), `unknown tokeniser "nltk"`)
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	_, err := folder.Corpus(ctx, dir, "imdb", folder.Options{})
	assert.EqualError(t, err, "data=imdb is not installed in "+dir+". Run: exp data fetch imdb (84 MB), or exp data add aclImdb_v1.tar.gz")
	_, err = folder.Corpus(ctx, dir, "yelp", folder.Options{})
	assert.EqualError(t, err, "data=yelp is not installed in "+dir+". Installed: sample. Own data: exp data add FILE --name NAME")
	assert.ErrorAs(t, must.Fail(folder.Source(dir, "imdb", folder.Options{})), new(*folder.NotInstalledError))
	c := must.Get(folder.Corpus(ctx, dir, "sample", folder.Options{}))(t)
	_, err = folder.Vectors(ctx, dir, "glove50", c, folder.Options{})
	assert.EqualError(t, err, "vectors=glove50 is not installed in "+dir+". Run: exp data fetch glove --dim 50 (69 MB), or exp data add glove.6B.zip. Without any: vectors=corpus")
	assert.ErrorContains(t, must.Fail(folder.Vectors(ctx, dir, "nowhere.txt", c, folder.Options{})), "nowhere.txt")
}
