// Package phrases is a corpus of English sentences with their French translations, for use
// without any download. A small grammar writes both sides together, the same on every machine. A
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
// The French is a function of the English, so a perfect score is possible: the sentence always
// decides between two translations of a word, a relative clause belongs to the noun right before
// it, and a pronoun refers to the only noun of the previous clause. English leaves genders open
// in "I am tired"; such sentences do not occur.
//
// Texts are lower case without punctuation. Splitting them at spaces gives the same words as the
// whitespace and the ptb tokeniser; "n'est" and "qu'elle" are one word.
package phrases

import (
	"fmt"
	"strings"
	"sync"

	"imdbexp/dataset/internal/dice"
	"imdbexp/dataset/pairs"
)

// Name is the name of the corpus in settings.
const Name = "phrases"

// Sizes of the embedded corpus, and the largest number of pairs that ToTrain returns: there
// are only a few thousand different pairs of three words.
const (
	TrainPairs = 3000
	TestPairs  = 500
	MostTrain  = 10_000
)

// Words of the longer side of a pair; the other one has at least as many as shortest.
const (
	shortest = 3
	longest  = 25
)

var shipped = sync.OnceValues(func() (train, test []pairs.Pair) {
	return Generate(1, TrainPairs, TestPairs)
})

// Pairs returns the embedded corpus; no pair occurs twice. In both
// splits the longer sides have every number of words from 3 to 25 equally often. The
// slices are not to be changed.
func Pairs() (train, test []pairs.Pair) { return shipped() }

// ToTrain returns n training pairs, at most MostTrain. The first are those of Pairs; the
// others come from the same grammar. None of them is a test pair.
func ToTrain(n int) []pairs.Pair {
	_, test := Pairs()
	seen := map[string]bool{}
	for _, p := range test {
		seen[p.Source] = true
	}
	return split(1, "train", 0, min(n, MostTrain), seen)
}

// Generate writes another corpus with the same grammar; equal arguments give equal
// corpora. Up to MostTrain pairs are fine.
func Generate(seed uint64, nTrain, nTest int) (train, test []pairs.Pair) {
	seen := map[string]bool{}
	return split(seed, "train", 0, nTrain, seen), split(seed, "test", 1, nTest, seen)
}

// split generates sentences until there are enough of each length. The first pair has the
// shortest length, each next one is a word longer, and after the longest it starts again.
func split(seed uint64, name string, number uint64, n int, seen map[string]bool) []pairs.Pair {
	const lengths = longest - shortest + 1
	out := make([]pairs.Pair, max(0, n))
	var next [lengths]int // the pair that is to have each length
	for i := range next {
		next[i] = i
	}
	for drawn, found := uint64(0), 0; found < n; drawn++ {
		w := writer{Dice: dice.New(seed, number, drawn)}
		p := w.sentence(shortest + int(drawn%lengths))
		a, b := 1+strings.Count(p.english, " "), 1+strings.Count(p.french, " ")
		if min(a, b) < shortest || max(a, b) > longest || seen[p.english] {
			continue
		}
		i := &next[max(a, b)-shortest]
		if *i >= n {
			continue
		}
		seen[p.english] = true
		out[*i] = pairs.Pair{ID: fmt.Sprintf("%s/%04d", name, *i+1), Source: p.english, Target: p.french}
		*i += lengths
		found++
	}
	return out
}
