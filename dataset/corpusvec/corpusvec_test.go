package corpusvec_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/sample"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
)

// The vectors of the shipped sample on every platform: linux/amd64, arm64 and
// whatever else runs this test.
const golden = "1552376627bf198486dd4cc565d066b06ab47803649f199ebcbaa7e9197a6f37"

type corpus struct {
	words   []string // by falling count, then alphabetical
	ids     []int32
	offsets []int
}

func index(texts []string) corpus {
	counts := map[string]int{}
	for _, t := range texts {
		for _, w := range strings.Fields(t) {
			counts[w]++
		}
	}
	c := corpus{offsets: []int{0}}
	for w := range counts {
		c.words = append(c.words, w)
	}
	slices.SortFunc(c.words, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	id := map[string]int32{}
	for i, w := range c.words {
		id[w] = int32(i)
	}
	for _, t := range texts {
		for _, w := range strings.Fields(t) {
			c.ids = append(c.ids, id[w])
		}
		c.offsets = append(c.offsets, len(c.ids))
	}
	return c
}

func shipped() corpus {
	train, _ := sample.Reviews()
	texts := make([]string, len(train))
	for i, r := range train {
		texts[i] = r.Text
	}
	return index(texts)
}

func (c corpus) train(t require.TestingT, o corpusvec.Options) []float32 {
	rows := must.Get(corpusvec.Train(context.Background(), c.ids, c.offsets, len(c.words), o))(t)
	return rows
}

func digest(rows []float32) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, rows)
	return hex.EncodeToString(h.Sum(nil))
}

func TestSampleVectorsNeverChange(t *testing.T) {
	c := shipped()
	for _, workers := range []int{1, 2, 3, 7} {
		assert.Equal(t, golden, digest(c.train(t, corpusvec.Options{Workers: workers})), "%d workers", workers)
	}
	defer func() { require.NoError(t, simd.Use(simd.Best())) }()
	for _, level := range simd.Levels()[:len(simd.Levels())-1] {
		require.NoError(t, simd.Use(level))
		assert.Equal(t, golden, digest(c.train(t, corpusvec.Options{})), level)
	}
}

// Small corpora of any shape give finite rows, zero rows exactly for words that
// do not count, and the same bits for any number of workers.
func TestAnyCorpus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vocab := rapid.IntRange(1, 90).Draw(t, "vocab")
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(0, int32(vocab-1)), 0, 40), 0, 12).Draw(t, "texts")
		o := corpusvec.Options{
			Dim:      rapid.IntRange(1, 80).Draw(t, "dim"),
			Window:   rapid.IntRange(1, 8).Draw(t, "window"),
			MinCount: rapid.IntRange(1, 3).Draw(t, "minimum count"),
			Seed:     rapid.Uint64().Draw(t, "seed"),
			Workers:  1,
		}
		var ids []int32
		offsets := []int{0}
		counts := make([]int, vocab)
		for _, text := range texts {
			ids = append(ids, text...)
			offsets = append(offsets, len(ids))
			for _, w := range text {
				counts[w]++
			}
		}
		rows, err := corpusvec.Train(context.Background(), ids, offsets, vocab, o)
		o.Workers = 4
		again, errAgain := corpusvec.Train(context.Background(), ids, offsets, vocab, o)
		require.Equal(t, err, errAgain)
		if err != nil {
			require.ErrorContains(t, err, "side by side")
			return
		}
		require.Equal(t, digest(rows), digest(again))
		require.Len(t, rows, vocab*o.Dim)
		for w, n := range counts {
			for _, x := range rows[w*o.Dim : (w+1)*o.Dim] {
				require.False(t, math.IsNaN(float64(x)) || math.IsInf(float64(x), 0))
				if n < o.MinCount {
					require.Zero(t, x)
				}
			}
		}
	})
}

// With too many pairs, rare words are omitted until the others fit.
func TestMaxPairs(t *testing.T) {
	c := shipped()
	minCount := 0
	some := c.train(t, corpusvec.Options{MaxPairs: 10_000, Dropped: func(n int) { minCount = n }})
	require.Greater(t, minCount, 1)
	require.Equal(t, digest(c.train(t, corpusvec.Options{MinCount: minCount})), digest(some))
}

func TestErrors(t *testing.T) {
	ids, together, alone := []int32{0, 1, 0, 2}, []int{0, 4}, []int{0, 1, 2, 3, 4}
	for want, c := range map[string]struct {
		offsets []int
		o       corpusvec.Options
	}{
		"no two words of the corpus":  {alone, corpusvec.Options{}},
		"no two words of the corpus ": {together, corpusvec.Options{MinCount: 9}},
	} {
		require.ErrorContains(t, must.Fail(corpusvec.Train(context.Background(), ids, c.offsets, 3, c.o)), want)
	}
	require.ErrorContains(t, must.Fail(corpusvec.Train(context.Background(), nil, []int{0}, 0, corpusvec.Options{})), "no two words")
}

func TestCancelled(t *testing.T) {
	c := shipped()
	for _, stage := range []string{"counting pairs of words", "factorising"} {
		ctx, cancel := context.WithCancel(context.Background())
		require.ErrorIs(t, must.Fail(corpusvec.Train(ctx, c.ids, c.offsets, len(c.words), corpusvec.Options{Progress: func(at string, _ float64) {
			assert.NoError(t, ctx.Err(), "goes on")
			if at == stage {
				cancel()
			}
		}})), context.Canceled)
	}
}
