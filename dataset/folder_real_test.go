package dataset_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/imdb"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// realData returns the folder with the real archives.
func realData(t testing.TB) string {
	dir := os.Getenv("EXP_TEST_DATA")
	if dir == "" {
		if os.Getenv("EXP_CI") == "1" {
			t.Fatal("EXP_TEST_DATA must name the folder with aclImdb.tar.gz and glove.6B.50d.zip")
		}
		t.Skip("needs the real data: EXP_TEST_DATA names a folder with aclImdb.tar.gz and glove.6B.50d.zip")
	}
	return dir
}

// TestIMDB reads the real data. Its numbers are those of the published corpus;
// the words by `\S+` agree with Python's, word by word.
func TestIMDB(t *testing.T) {
	dir := realData(t)
	o := folder.Options{CacheDir: t.TempDir(), Warn: func(err error) { t.Error(err) }}
	for _, x := range []struct {
		tokens                       string
		types, trainWords, testWords int
		oov                          float64 // at most, of train's words
	}{
		{"ptb", 144_107, 6_815_917, 6_661_120, 0.004},
		{"whitespace", 616_481, 5_844_680, 5_713_167, 0.163},
	} {
		o.Tokenizer = x.tokens
		var corpora [2]*dataset.Corpus
		for i, start := range []string{"first", "second"} {
			began := time.Now()
			c := must.Get(folder.Corpus(ctx, dir, "imdb", o))(t)
			opened := time.Now()
			v := must.Get(folder.Vectors(ctx, dir, "glove50", c, o))(t)
			read := time.Now()
			train, test, table := embedding.Encode(c, v, embedding.Options{})
			t.Logf("%s, %s start: open %v, vectors %v, encode %v", x.tokens, start,
				opened.Sub(began).Round(time.Millisecond), read.Sub(opened).Round(time.Millisecond), time.Since(read).Round(time.Millisecond))
			assert.Equal(t, []int{25000, 25000}, []int{train.Len(), test.Len()})
			assert.Equal(t, "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f", v.Digest)
			assert.Equal(t, 400_000, v.Total)
			assert.Greater(t, table.Len(), 70_000)
			positive, oov, known := 0, 0, dataset.Index(v.Words)
			for _, l := range c.Train.Labels {
				positive += int(l)
			}
			for _, id := range c.Train.IDs {
				if _, ok := known[c.Vocab.Words[id]]; !ok {
					oov++
				}
			}
			assert.Equal(t, []int{12500, x.types, x.trainWords, x.testWords}, []int{positive, len(c.Vocab.Words), len(c.Train.IDs), len(c.Test.IDs)})
			assert.Less(t, float64(oov)/float64(len(c.Train.IDs)), x.oov)
			corpora[i] = c
		}
		sameCorpus(t, corpora[0], corpora[1], x.tokens)
	}
}

// The Parquet files of the Hugging Face hub are IMDB, in whatever order and under whatever names; files
// that differ in one review are not.
func TestHub(t *testing.T) {
	src := must.Get(imdb.Open(filepath.Join(realData(t), "aclImdb.tar.gz"), "aclImdb.tar.gz", nil))(t)
	type row struct {
		Text  string `parquet:"text,plain,optional"`
		Label int64  `parquet:"label,plain"`
	}
	var parts [dataset.Parts][]row
	require.NoError(t, src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		parts[p] = append(parts[p], row{r.Text, int64(r.Label)})
		return nil
	}))
	put := func(dir, name string, rows []row) {
		fixture.Put(t, dir, "plain_text/"+name+"-00000-of-00001.parquet", fixture.Parquet(t, len(rows), rows, classes, parquet.Compression(&parquet.Snappy)))
	}
	hub := t.TempDir()
	rand.New(rand.NewPCG(1, 2)).Shuffle(25_000, func(i, j int) { parts[0][i], parts[0][j] = parts[0][j], parts[0][i] })
	for part, name := range []string{"train", "test", "unsupervised"} {
		put(hub, name, parts[part])
	}
	dir := t.TempDir()
	files := imdb.HubFiles(hub)
	added := must.Get(folder.AddHub(ctx, dir, files, false, folder.Options{}))(t)
	assert.Equal(t, []any{dataset.Published("imdb"), 25_000, 25_000, 50_000}, []any{added.Digest, added.Train, added.Test, added.Extra})
	assert.ErrorContains(t, must.Fail(folder.AddHub(ctx, dir, files, false, folder.Options{})), "data=imdb is installed")

	assert.ErrorContains(t, must.Fail(folder.AddHub(ctx, dir, files[:2], true, folder.Options{})), "IMDB's Parquet file unsupervised is missing")
	assert.ErrorContains(t, must.Fail(folder.AddHub(ctx, dir, append(files, files[0]), true, folder.Options{})), "have the same reviews: name each file once")
	parts[dataset.Test][7].Text += " "
	put(hub, "test", parts[dataset.Test])
	assert.ErrorContains(t, must.Fail(folder.AddHub(ctx, dir, files, true, folder.Options{})), "test-00000-of-00001.parquet: its 25000 texts are not those of IMDB's")
	b := must.Get(os.ReadFile(files[0]))(t)
	require.NoError(t, os.WriteFile(files[0], b[:len(b)/2], 0o644))
	assert.ErrorContains(t, must.Fail(folder.AddHub(ctx, dir, files, true, folder.Options{})), files[0]+": cut off or damaged")
}
