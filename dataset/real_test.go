package dataset_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
)

func realData(t testing.TB) string {
	dir := os.Getenv("EXP_TEST_DATA")
	if dir == "" {
		if os.Getenv("EXP_CI") == "1" {
			t.Fatal("EXP_TEST_DATA must name the folder with aclImdb.tar.gz and glove.6B.50d.zip")
		}
		t.Skip("EXP_TEST_DATA is not set")
	}
	return dir
}

func TestTmp(t *testing.T) {
	dir := realData(t)
	ctx := context.Background()
	cache := t.TempDir()
	for _, tok := range []string{"ptb", "whitespace"} {
		for i := range 2 {
			t0 := time.Now()
			c, err := dataset.Open(ctx, dir, "imdb", dataset.OpenOptions{Tokenizer: tok, CacheDir: cache, Warn: func(e error) { t.Error(e) }})
			require.NoError(t, err)
			t1 := time.Now()
			v, err := dataset.OpenVectors(ctx, dir, "glove50", c, dataset.OpenOptions{CacheDir: cache, Warn: func(e error) { t.Error(e) }})
			require.NoError(t, err)
			t2 := time.Now()
			tr, te, tab, err := dataset.Encode(c, v, dataset.EncodeOptions{})
			require.NoError(t, err)
			t3 := time.Now()
			t.Log(tok, i, "open", t1.Sub(t0), "vectors", t2.Sub(t1), "encode", t3.Sub(t2), "total", t3.Sub(t0))
			oov := 0
			for _, id := range tr.IDs {
				if id == 0 {
					oov++
				}
			}
			t.Log(len(tr.IDs), len(te.IDs), c.Vocab.Len(), len(v.Words), tab.Len(), c.Digest, v.Digest, float64(oov)/float64(len(tr.IDs)))
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			t.Log("sys MB", m.Sys>>20, "heap", m.HeapAlloc>>20)
		}
	}
}
