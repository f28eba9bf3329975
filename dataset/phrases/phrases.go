// Package phrases is a corpus of English sentences with their French translations, for use
// without any download. A small grammar wrote both sides together; the pairs are embedded. A
// translation model has to learn more than a dictionary:
//
//   - Order. Most adjectives change places with the noun: "the red carpet", "le
//     tapis rouge"; "petit" and some others stay before it. A pronoun as object
//     moves before the verb: "the king sees her", "le roi la voit". "often" goes
//     behind it.
//   - Agreement. Articles, adjectives and participles agree with a noun that may
//     be far away: "the keys that the king sees were found", "les clés que le roi voit
//     ont été trouvées". A pronoun takes the gender of its noun; two
//     subjects together are plural.
//   - Negation stands around the verb: "is not", "n'est pas"; "never sees", "ne voit
//     jamais"; "no longer", "ne … plus".
//   - Not word by word: "potato" is "pomme de terre", "swimming pool" is "piscine",
//     "does not", "looks for", "because", "cannot" have other numbers of words in
//     French, and "near the garden" is "près du jardin".
//
// The French is a function of the English, so a perfect score is possible. Texts are lower case
// without punctuation. Splitting them at spaces gives the same words as the whitespace and the ptb
// tokeniser; "n'est" and "qu'elle" are one word.
package phrases

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/pairs"
)

// Name is the name of the corpus in settings.
const Name = "phrases"

// Sizes of the corpus, and the largest number of pairs that ToTrain returns.
const (
	TrainPairs = 3000
	TestPairs  = 500
	MostTrain  = 10_000
)

// packed holds MostTrain training pairs, then the test pairs: a line each, English, a tab, French.
// In both splits the longer sides have every number of words from 3 to 25 equally often.
//
//go:embed pairs.tsv.zst
var packed []byte

var load = sync.OnceValues(func() (train, test []pairs.Pair) {
	for line := range strings.Lines(stream.Unpack(packed)) {
		english, french, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		split, name := &train, "train"
		if len(train) == MostTrain {
			split, name = &test, "test"
		}
		*split = append(*split, pairs.Pair{ID: fmt.Sprintf("%s/%04d", name, len(*split)+1), Source: english, Target: french})
	}
	return train, test
})

// Pairs returns TrainPairs and TestPairs pairs; no pair occurs twice. The slices are not to be
// changed.
func Pairs() (train, test []pairs.Pair) {
	train, test = load()
	return train[:TrainPairs:TrainPairs], test
}

// ToTrain returns n training pairs, at most MostTrain. The first are those of Pairs. None of
// them is a test pair.
func ToTrain(n int) []pairs.Pair {
	train, _ := load()
	n = min(n, MostTrain)
	return train[:n:n]
}
