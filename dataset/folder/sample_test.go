package folder_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/dice"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/sample"
)

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
