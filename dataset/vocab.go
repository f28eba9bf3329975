package dataset

import (
	"cmp"
	"slices"
	"strings"
)

// Vocab is the words of a corpus by falling count, equal counts in the order
// of their bytes. A word's ID is its place.
type Vocab struct {
	words  []string // [V]
	counts []int64  // [V] in the whole corpus, unlabelled reviews included
}

// NewVocab takes over words in their final order.
func NewVocab(words []string, counts []int64) *Vocab {
	return &Vocab{words: words, counts: counts}
}

// Index maps each word to its place.
func Index(words []string) map[string]int32 {
	m := make(map[string]int32, len(words))
	for i, w := range words {
		m[w] = int32(i)
	}
	return m
}

// SortVocab brings words into the order of a Vocab and returns it with the
// place of each of the given words.
func SortVocab(words []string, counts []int64) (v *Vocab, place []int32) {
	order := make([]int32, len(words))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(words[a], words[b]))
	})
	place = make([]int32, len(words))
	sorted, n := make([]string, len(words)), make([]int64, len(words))
	for p, i := range order {
		place[i] = int32(p)
		sorted[p], n[p] = words[i], counts[i]
	}
	return NewVocab(sorted, n), place
}

// Len returns V, the number of words.
func (v *Vocab) Len() int { return len(v.words) }

// Word returns the word with that ID.
func (v *Vocab) Word(id int32) string { return v.words[id] }

// Words returns all words by ID; not to be changed.
func (v *Vocab) Words() []string { return v.words }

// Counts returns how often each word occurs, by ID; not to be changed.
func (v *Vocab) Counts() []int64 { return v.counts }
