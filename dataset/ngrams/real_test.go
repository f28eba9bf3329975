package ngrams_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/ngrams"
	"imdbexp/internal/convex"
	"imdbexp/internal/ops"
	"imdbexp/internal/sparse"
)

// TestIMDB fits what the two baselines are made of to the real reviews.
func TestIMDB(t *testing.T) {
	dir := os.Getenv("EXP_TEST_DATA")
	if dir == "" || os.Getenv("EXP_CI") != "1" {
		t.Skip("takes 15 seconds: EXP_CI=1, and EXP_TEST_DATA names a folder with aclImdb.tar.gz")
	}
	c, err := folder.Corpus(context.Background(), dir, "imdb", folder.Options{CacheDir: t.TempDir()})
	require.NoError(t, err)
	pool := ops.NewPool(0)
	defer pool.Close()
	began := time.Now()
	lap := func(part string) {
		t.Logf("%s: %v", part, time.Since(began).Round(time.Millisecond))
		began = time.Now()
	}
	f, err := ngrams.Learn(pool, &c.Train, c.Vocab.Words(), ngrams.Options{Max: 3, MinCount: 2})
	require.NoError(t, err)
	lap("learn")
	for _, x := range []struct {
		name    string
		binary  bool
		c       float64
		atLeast float64
	}{{"nbsvm", true, 0.1, 0.917}, {"bow-lr", false, 100, 0.905}} {
		encode := func(s *dataset.Split) *sparse.Matrix {
			m, err := f.Encode(pool, s, c.Vocab.Words(), x.binary)
			require.NoError(t, err)
			if !x.binary {
				require.NoError(t, ngrams.TFIDF(pool, m, f.IDF(), true))
			}
			return m
		}
		train, test := encode(&c.Train), encode(&c.Test)
		lap("encode")
		p := convex.Problem{X: train, Labels: c.Train.Labels, Classes: 2, C: x.c}
		p.Transposed, err = train.Transpose(pool)
		require.NoError(t, err)
		if x.binary {
			p.Scale, err = convex.LogCountRatios(pool, p.Transposed, p.Labels, 2, 1)
			require.NoError(t, err)
		}
		s, err := convex.New(pool, p, 1e-3)
		require.NoError(t, err)
		for !s.Report().Done {
			_, err = s.Step()
			require.NoError(t, err)
		}
		lap("fit")
		w, b := s.Weights()
		for i := range p.Scale {
			w[i] *= p.Scale[i]
		}
		z, right := make([]float64, test.Rows), 0
		require.NoError(t, test.Multiply(pool, z, w, 1))
		for i, x := range z {
			if x+b[0] > 0 == (c.Test.Labels[i] == 1) {
				right++
			}
		}
		accuracy := float64(right) / float64(len(z))
		t.Logf("%s: %d features, test accuracy %.4f, %d steps", x.name, f.Len(), accuracy, s.Report().Iteration)
		assert.GreaterOrEqual(t, accuracy, x.atLeast, x.name)
	}
}
