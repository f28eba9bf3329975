package phrases_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
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
