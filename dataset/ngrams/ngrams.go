// Package ngrams makes features of reviews: which n-grams, sequences of one to a few words,
// occur in them and how often.
//
// Features are learned from the reviews of train alone. They are numbered by falling count,
// equal counts by rising length, then in the order of their words (by falling count, then by
// their bytes): the numbering depends on nothing but the texts and the options. A part of an
// n-gram occurs at least as often as the whole. Hence all parts of a feature are features,
// too, with smaller numbers; an n-gram is stored as the feature of its first n−1 words and its
// last word, whatever n is; and longer ones are counted only where their parts were kept.
package ngrams

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// MaxWords is the maximum length of an n-gram in words.
const MaxWords = 5

// Options selects the n-grams that become features. A zero field means its default.
type Options struct {
	Max      int // maximum n; default 1
	MinCount int // minimum occurrences in train; default 1
	Top      int // keep only the most frequent; 0: no limit
}

// Reviews are texts as IDs of a vocabulary: a dataset.Split, or a dataset.Encoded with such.
type Reviews interface {
	Len() int
	Words(b int) []int32
}

// Features are the F n-grams of a bag-of-n-grams model.
type Features struct {
	Words   []string // [V] the words of the features
	Trained int      // number of training reviews
	Max     int      // Options.Max

	first   []int32 // [F] feature of all words but the last; none for a word alone
	last    []int32 // [F] the last word
	count   []int32 // [F] occurrences in train
	reviews []int32 // [F] reviews of train that have it

	single []int32 // [V] feature of each word alone
	table  table
}

const none = -1

// Len returns F.
func (f *Features) Len() int { return len(f.last) }

// Size returns how many words a feature has.
func (f *Features) Size(feature int) int {
	n := 1
	for p := f.first[feature]; p != none; p = f.first[p] {
		n++
	}
	return n
}

// Name returns the words of a feature with blanks between them.
func (f *Features) Name(feature int) string {
	words := make([]string, f.Size(feature))
	for i, p := len(words)-1, int32(feature); p != none; i, p = i-1, f.first[p] {
		words[i] = f.Words[f.last[p]]
	}
	return strings.Join(words, " ")
}

// Count returns how often a feature occurs in train, and in how many reviews.
func (f *Features) Count(feature int) (occurrences, reviews int) {
	return int(f.count[feature]), int(f.reviews[feature])
}

// complete builds the lookup tables.
func (f *Features) complete() {
	f.single = make([]int32, len(f.Words))
	longer := 0
	for i, p := range f.first {
		if p == none {
			f.single[f.last[i]] = int32(i)
		} else {
			longer++
		}
	}
	f.table = newTable(longer)
	for i, p := range f.first {
		if p != none {
			f.table.put(key(p, f.last[i]), int32(i))
		}
	}
}

func (o Options) withDefaults() (Options, error) {
	o.Max, o.MinCount = cmp.Or(o.Max, 1), cmp.Or(o.MinCount, 1)
	switch {
	case o.Max < 1 || o.Max > MaxWords:
		return o, fmt.Errorf("n-grams of up to %d words: choose 1 to %d", o.Max, MaxWords)
	case o.MinCount < 1 || o.Top < 0:
		return o, fmt.Errorf("n-grams that occur at least %d times, the first %d: choose 1 or more, and 0 or more", o.MinCount, o.Top)
	}
	return o, nil
}

// flat returns where each review begins among all words.
func flat(r Reviews) ([]int, error) {
	start := make([]int, r.Len()+1)
	for b := range r.Len() {
		start[b+1] = start[b] + len(r.Words(b))
	}
	if n := start[r.Len()]; n > math.MaxInt32 {
		return nil, fmt.Errorf("n-grams of %d words in all: at most %d can be counted", n, math.MaxInt32)
	}
	return start, nil
}
