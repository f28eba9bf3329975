package sample_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/sample"
)

// The shipped corpus: a change of any byte changes results everywhere, and takes
// a new result version.
const shipped = "d1ec601c807e13214871d1c3564f161159ff9c9e4532b7bc47e40c5e9c1f8872"

func digest(splits ...[]sample.Review) string {
	h := sha256.New()
	for _, reviews := range splits {
		for _, r := range reviews {
			fmt.Fprintf(h, "%s\t%d\t%v\t%s\n", r.ID, r.Label, r.Verdict, r.Text)
		}
		io.WriteString(h, "\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestShippedCorpusNeverChanges(t *testing.T) {
	train, test := sample.Reviews()
	assert.Equal(t, shipped, digest(train, test))
}

func TestShippedCorpus(t *testing.T) {
	train, test := sample.Reviews()
	require.Len(t, train, 2000)
	require.Len(t, test, 1000)
	assert.Equal(t, "train/0001", train[0].ID)
	assert.Equal(t, "train/2000", train[1999].ID)
	assert.Equal(t, "test/1000", test[999].ID)

	known := map[string]bool{}
	texts := map[string]bool{}
	for _, reviews := range [][]sample.Review{train, test} {
		positive := 0
		for _, r := range reviews {
			positive += r.Label
			check(t, r)
			require.False(t, texts[r.Text], "%s: text seen before", r.ID)
			texts[r.Text] = true
		}
		assert.Equal(t, len(reviews), 2*positive)
	}
	for _, r := range train {
		for _, w := range strings.Fields(r.Text) {
			known[w] = true
		}
	}
	for _, r := range test {
		for _, w := range strings.Fields(r.Text) {
			assert.True(t, known[w], "%s: %q does not occur in train", r.ID, w)
		}
	}
}

// check holds what every review of the grammar promises.
func check(t require.TestingT, r sample.Review) {
	words := strings.Split(r.Text, " ")
	require.GreaterOrEqual(t, len(words), 20, r.Text)
	require.LessOrEqual(t, len(words), 100, r.Text)
	require.Contains(t, []int{0, 1}, r.Label)
	for i, w := range words {
		plain := w == "." || w == "," || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == ""
		require.True(t, plain && w != "", "%s: %q", r.ID, w)
		if w == "a" || w == "an" {
			require.Equal(t, strings.Contains("aeiou", words[i+1][:1]), w == "an", "%s %s", w, words[i+1])
		}
	}
	require.Equal(t, ".", words[len(words)-1])

	require.NotEmpty(t, r.Verdict, r.ID)
	require.LessOrEqual(t, len(r.Verdict), 3, r.ID)
	require.True(t, slices.IsSorted(r.Verdict), r.ID)
	for _, p := range r.Verdict {
		polarity := sample.Polarity(words[p])
		if negated(words, p) {
			polarity = -polarity
		}
		require.Equal(t, 2*r.Label-1, polarity, "%s: word %d, %q, of: %s", r.ID, p, words[p], r.Text)
	}
}

func negated(words []string, p int) bool {
	switch words[p-1] {
	case "not", "never", "hardly":
		return true
	}
	return words[p-1] == "from" && words[p-2] == "far"
}

func TestOtherSeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(0, 60).Draw(t, "reviews")
		train, test := sample.Generate(seed, n, 7)
		again, _ := sample.Generate(seed, n+5, 0)
		positive := 0
		for _, r := range slices.Concat(train, test) {
			check(t, r)
			positive += r.Label
		}
		require.InDelta(t, float64(n+7)/2, positive, 1)
		require.Equal(t, train, again[:n], "a longer corpus starts with the shorter one")
	})
}

func TestSeedsDiffer(t *testing.T) {
	a, _ := sample.Generate(1, 50, 0)
	b, _ := sample.Generate(2, 50, 0)
	for i := range a {
		assert.NotEqual(t, a[i].Text, b[i].Text)
	}
}

// No word on its own, nor any decoy, gives the label away: the hints of grammar
// occur with both labels alike.
func TestGrammarWordsCarryNoLabel(t *testing.T) {
	train, _ := sample.Generate(3, 20000, 0)
	hints := []string{"not", "never", "hardly", "far", "but", "yet", "despite", "although",
		"expected", "slightly", "deeply", "very", "cheerful", "cruel", "comedy", "thriller"}
	reviews := map[string][2]int{} // with the word, of each label
	for _, r := range train {
		words := map[string]bool{}
		for w := range strings.FieldsSeq(r.Text) {
			words[w] = true
		}
		for _, hint := range hints {
			if words[hint] {
				n := reviews[hint]
				n[r.Label]++
				reviews[hint] = n
			}
		}
	}
	for _, hint := range hints {
		with := reviews[hint]
		n := with[0] + with[1]
		require.Greater(t, n, 300, hint)
		// Five standard deviations of a fair coin.
		assert.InDelta(t, 0, float64(with[1]-with[0])/float64(n), 5/math.Sqrt(float64(n)), hint)
	}
}

func TestPolarity(t *testing.T) {
	for word, want := range map[string]int{"witty": 1, "wooden": -1, "cruel": 0, "not": 0, "": 0} {
		assert.Equal(t, want, sample.Polarity(word), word)
	}
}

// What people type to see where a model looks is made of words that the sample knows: a
// word it does not know is like every other such word to a model, and the answer says
// nothing.
func TestEverydayWordsAreKnown(t *testing.T) {
	train, _ := sample.Reviews()
	times := map[string]int{}
	for _, r := range train {
		for w := range strings.FieldsSeq(r.Text) {
			times[w]++
		}
	}
	everyday := map[string]int{"film": 0, "movie": 0, "actor": 0, "actors": 0, "actress": 0,
		"director": 0, "story": 0, "plot": 0, "characters": 0, "ending": 0, "music": 0, "songs": 0,
		"acting": 0, "jokes": 0, "this": 0, "is": 0, "was": 0, "it": 0, "not": 0, "very": 0,
		"good": 1, "great": 1, "wonderful": 1, "excellent": 1, "brilliant": 1, "funny": 1,
		"beautiful": 1, "perfect": 1, "interesting": 1, "superb": 1, "amazing": 1, "moving": 1,
		"bad": -1, "awful": -1, "terrible": -1, "boring": -1, "horrible": -1, "stupid": -1,
		"dull": -1, "silly": -1, "poor": -1, "weak": -1, "predictable": -1, "pointless": -1}
	for word, polarity := range everyday {
		assert.Greater(t, times[word], 50, word)
		assert.Equal(t, polarity, sample.Polarity(word), word)
	}
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
