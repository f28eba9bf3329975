package phrases_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/token"
)

// The shipped corpus: a change of any byte changes results everywhere, and takes
// a new result version.
const shipped = "c88dcbff664b291ca33e0e493b76a7d3b2020efcb8731b179e14b7a2ba22aca7"

// longer is the digest of all training pairs. Their French was checked
// once by a parser of its own: articles, adjectives and participles agree with their nouns,
// pronouns with what they refer to, and negations stand around the verb.
const longer = "ee43cf6d239226dc7d46991e36796e7324f16962806d60aabb24032a238dc548"

func digest(corpus []pairs.Pair) string {
	h := sha256.New()
	for _, p := range corpus {
		fmt.Fprintf(h, "%s\t%s\t%s\n", p.ID, p.Source, p.Target)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestShippedCorpusNeverChanges(t *testing.T) {
	train, test := phrases.Pairs()
	assert.Equal(t, shipped, digest(slices.Concat(train, test)))
	assert.Equal(t, longer, digest(phrases.ToTrain(1<<30)))
	assert.Equal(t, train[:100], phrases.ToTrain(100))
}

var (
	unelided   = regexp.MustCompile(`\b(ne|que|je|le|la|de|ce|me|se) [aeiouéêœh]`)
	contracted = regexp.MustCompile(`\bde (le|les|des|un)\b`)
	an         = regexp.MustCompile(`\ba [aeiou]|\ban [^aeiou]`)
)

// No English sentence occurs twice, so none has two translations. All lengths are equally frequent,
// words are joined where they must be, and both tokenisers split at spaces.
func TestPairs(t *testing.T) {
	train, test := phrases.Pairs()
	seen := map[string]bool{}
	for _, p := range slices.Concat(phrases.ToTrain(phrases.MostTrain), test) {
		require.False(t, seen[p.Source], p.Source)
		seen[p.Source] = true
		require.NotRegexp(t, unelided, p.Target)
		require.NotRegexp(t, contracted, p.Target)
		require.NotRegexp(t, an, p.Source)
	}
	for i, split := range [][]pairs.Pair{train, test} {
		require.Len(t, split, []int{3000, 500}[i])
		lengths := map[int]int{}
		for _, p := range split {
			a, b := len(strings.Fields(p.Source)), len(strings.Fields(p.Target))
			require.GreaterOrEqual(t, min(a, b), 3, p.Source)
			lengths[max(a, b)]++
			for _, text := range []string{p.Source, p.Target} {
				for _, tok := range []token.Tokenizer{token.PTB{}, token.Whitespace{}} {
					var words []string
					for _, x := range token.Tokens(tok, text) {
						words = append(words, x.Word)
					}
					require.Equal(t, text, strings.Join(words, " "), tok.Name())
				}
			}
		}
		require.Len(t, lengths, 23)
		for n, count := range lengths {
			assert.InDelta(t, len(split)/23, count, 1, "%d words", n)
		}
	}
}
