package dataset_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/internal/dice"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/sample"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func TestOpenByName(t *testing.T) {
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
	reversed := slices.Clone(fixture.Tiny)
	slices.Reverse(reversed)
	noFolder := slices.Clone(fixture.Tiny)
	for i := range noFolder {
		noFolder[i].Name = "./" + noFolder[i].Name[len("aclImdb/"):]
	}
	plain := t.TempDir()
	fixture.Put(t, plain, "aclImdb.tar", fixture.Tar(t, fixture.Tiny))
	for name, dir := range map[string]string{"reversed": fixture.IMDB(t, reversed), "no folder": fixture.IMDB(t, noFolder), "tar": plain} {
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
	require.Len(t, files, 2)
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

// The shipped reviews and pairs: a change of any byte changes results everywhere, and takes a new
// result version. The French of all pairs for training was checked once by a separate parser: articles,
// adjectives and participles agree with their nouns, pronouns with what they refer to, and negations
// stand around the verb.
func TestShippedCorpusNeverChanges(t *testing.T) {
	train, test := sample.Reviews()
	h := sha256.New()
	for _, reviews := range [][]sample.Review{train, test} {
		for _, r := range reviews {
			fmt.Fprintf(h, "%s\t%d\t%v\t%s\n", r.ID, r.Label, r.Verdict, r.Text)
		}
		fmt.Fprintln(h)
	}
	assert.Equal(t, "d1ec601c807e13214871d1c3564f161159ff9c9e4532b7bc47e40c5e9c1f8872", hex.EncodeToString(h.Sum(nil)))

	digest := func(corpus []pairs.Pair) string {
		h := sha256.New()
		for _, p := range corpus {
			fmt.Fprintf(h, "%s\t%s\t%s\n", p.ID, p.Source, p.Target)
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	trainPairs, testPairs := phrases.Pairs()
	assert.Equal(t, "c88dcbff664b291ca33e0e493b76a7d3b2020efcb8731b179e14b7a2ba22aca7", digest(slices.Concat(trainPairs, testPairs)))
	assert.Equal(t, "ee43cf6d239226dc7d46991e36796e7324f16962806d60aabb24032a238dc548", digest(phrases.ToTrain(1<<30)))
	assert.Equal(t, trainPairs[:100], phrases.ToTrain(100))
}

// The rationale of a review of the sample is its verdict.
func TestRationale(t *testing.T) {
	_, test := sample.Reviews()
	i := 0
	require.NoError(t, sample.Source{}.Reviews(context.Background(), func(p dataset.Part, r dataset.Review) error {
		if p != dataset.Test {
			return nil
		}
		words := strings.Split(r.Text, " ")
		require.Len(t, r.Rationale, len(test[i].Verdict))
		for k, s := range r.Rationale {
			require.Equal(t, words[test[i].Verdict[k]], r.Text[s.Start:s.End])
		}
		i++
		return nil
	}))
	require.Equal(t, len(test), i)
}

// Fixed for ever: which reviews are held out depends on it.
func TestHash(t *testing.T) {
	assert.Equal(t, uint64(0x8512065972b26b86), dice.Hash(1, dice.Name("hold"), dice.Name("train/0001")))
	assert.NotEqual(t, dice.Hash(1, 2), dice.Hash(2, 1), "the order of a key counts")
	var counts [5]int
	for i := range uint64(20000) {
		counts[dice.Below(dice.Hash(7, i), 5)]++
	}
	for _, n := range counts {
		assert.InDelta(t, 4000, n, 300) // more than five standard deviations
	}
}

// In a swapped pair only the words that decide differ. In a negated
// one there is a "not" before the word that decides.
func TestMinimalPairs(t *testing.T) {
	require.Equal(t, "339456a4bebb3804089b86adff8394ad2b2a8aafa147fde62eda2a2f969dd98b", sample.MinimalPairs().Digest())
	_, test := sample.Reviews()
	p := sample.MinimalPairs()
	require.Equal(t, []string{"swapped", "negated"}, p.Sets())
	require.Greater(t, len(p.Pairs), len(test)+200)
	reviews := map[string]sample.Review{}
	for _, r := range test {
		reviews[strings.TrimPrefix(r.ID, "test/")] = r
	}
	for _, x := range p.Pairs {
		r := reviews[strings.TrimPrefix(x.ID, x.Set+"/")]
		require.Equal(t, r.Text, x.Original.Text)
		require.Equal(t, []string{"neg", "pos"}[1-r.Label], x.Rewritten.Label)
		words := strings.Fields(x.Rewritten.Text)
		if x.Set == "negated" {
			require.Equal(t, "not", words[r.Verdict[0]], x.Rewritten.Text)
			require.Equal(t, strings.Fields(r.Text), slices.Delete(words, r.Verdict[0], r.Verdict[0]+1))
			continue
		}
		for k, w := range strings.Fields(r.Text) {
			switch decides := len(r.Verdict) > 0 && r.Verdict[0] == k; {
			case decides:
				require.NotEqual(t, w, words[k], r.ID)
				r.Verdict = r.Verdict[1:]
			case w != "a" && w != "an":
				require.Equal(t, w, words[k])
			}
		}
	}
}
