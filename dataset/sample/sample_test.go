package sample_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	for _, word := range strings.Fields(`film movie actor actors actress director story plot characters ending music songs acting jokes
		this is was it not very good great wonderful excellent brilliant funny beautiful perfect interesting superb amazing moving
		bad awful terrible boring horrible stupid dull silly poor weak predictable pointless`) {
		assert.Greater(t, times[word], 50, word)
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
