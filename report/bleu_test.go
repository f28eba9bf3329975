package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/bleu"
)

// The three sentences of sacreBLEU's README, with two references each.
var (
	dog  = []string{"The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."}
	dogs = [][]string{
		{"The dog bit the man.", "The dog had bit the man."},
		{"It was not unexpected.", "No one was surprised."},
		{"The man bit him first.", "The man had bitten the dog."},
	}
)

// tokenize splits words at spaces and separates the last mark, as sacreBLEU's 13a does for these
// sentences.
func tokenize(line string) []string {
	line = strings.ReplaceAll(strings.ReplaceAll(line, ".", " ."), ";", " ;")
	return strings.Fields(line)
}

// The scores that sacreBLEU's README and tests (test_bleu.py, test_sentence_bleu.py)
// give. Sentences of four words and more have all n-grams, so that the effective
// order of the latter changes nothing.
func TestPublishedScores(t *testing.T) {
	const sugar, sugars = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;", "producţia de zahăr brut se exprimă în zahăr alb;"
	one := func(refs ...string) [][]string { return [][]string{refs} }
	for _, c := range []struct {
		name      string
		split     func(string) []string
		sentences []string
		refs      [][]string
		want      float64
		within    float64
	}{
		{"README", tokenize, dog, dogs, 48.530827, 1e-6},
		{"README, words between spaces", strings.Fields, dog, dogs, 49.1919566, 1e-6},
		{"nothing", tokenize, []string{"", "", ""}, dogs, 0, 0},
		{"no match", tokenize, []string{"this is a cat"}, one("okay thanks"), 0, 0},
		{"one four-gram", tokenize, []string{"this is a test"}, one("this is a test"), 100, 1e-6},
		{"two n without a match", tokenize, []string{sugar}, one(sugars), 8.493, 1e-3},
		{"words between spaces", strings.Fields, []string{sugar}, one(sugars), 7.347, 1e-3},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.InDelta(t, c.want, corpus(c.split, c.sentences, c.refs).Score().BLEU, c.within)
		})
	}
}

func corpus(split func(string) []string, sentences []string, refs [][]string) *bleu.Corpus {
	c := new(bleu.Corpus)
	for i, s := range sentences {
		var r [][]string
		for _, ref := range refs[i] {
			r = append(r, split(ref))
		}
		c.Add(split(s), r...)
	}
	return c
}

// The README shows what its score is made of.
func TestScoreString(t *testing.T) {
	c := corpus(tokenize, dog, dogs)
	require.Equal(t, "BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943)", c.Score().String())
	require.Equal(t, []int{17, 18}, []int{c.Words, c.Wanted})
}

// From the counts alone, as sacreBLEU's compute_bleu is tested.
func TestScoreOfCounts(t *testing.T) {
	c := bleu.Corpus{Matches: [4]int{9, 7, 5, 3}, Totals: [4]int{10, 8, 6, 4}, Words: 11, Wanted: 11}
	require.InDelta(t, 83.75922397, c.Score().BLEU, 1e-7)
	for _, c := range []bleu.Corpus{
		{},
		{Totals: [4]int{4, 4, 2, 1}, Wanted: 1},
		{Totals: [4]int{10, 11, 12, 0}, Words: 14, Wanted: 10},
		{Words: 1, Wanted: 5},
		{Matches: [4]int{3, 2, 1, 0}, Totals: [4]int{3, 2, 1, 0}, Words: 3, Wanted: 3}, // no 4-grams
	} {
		require.Zero(t, c.Score().BLEU)
	}
}
