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
	"errors"
	"slices"
	"strings"

	"imdbexp/internal/sparse"
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

	grams  []gram  // [F]
	single []int32 // [V] feature of each word alone
	table  table
}

// gram is an n-gram of train.
type gram struct {
	first   int32 // number of all words but the last; none for a word alone
	last    int32 // the last word
	count   int32 // occurrences in train
	reviews int32 // of train that have it
}

const none = -1

// Len returns F.
func (f *Features) Len() int { return len(f.grams) }

// Size returns how many words a feature has.
func (f *Features) Size(feature int) int {
	n := 1
	for p := f.grams[feature].first; p != none; p = f.grams[p].first {
		n++
	}
	return n
}

// Name returns the words of a feature with blanks between them.
func (f *Features) Name(feature int) string {
	words := make([]string, f.Size(feature))
	for i, p := len(words)-1, int32(feature); p != none; i, p = i-1, f.grams[p].first {
		words[i] = f.Words[f.grams[p].last]
	}
	return strings.Join(words, " ")
}

// Count returns how often a feature occurs in train, and in how many reviews.
func (f *Features) Count(feature int) (occurrences, reviews int) {
	return int(f.grams[feature].count), int(f.grams[feature].reviews)
}

// complete builds the lookup tables.
func (f *Features) complete() {
	f.single = make([]int32, len(f.Words))
	f.table = newTable(len(f.grams) - len(f.Words))
	for i, g := range f.grams {
		if g.first == none {
			f.single[g.last] = int32(i)
		} else {
			f.table.put(key(g.first, g.last), int32(i))
		}
	}
}

// flat returns where each review begins among all words.
func flat(r Reviews) []int {
	start := make([]int, r.Len()+1)
	for b := range r.Len() {
		start[b+1] = start[b] + len(r.Words(b))
	}
	return start
}

// Learn finds the features of the training reviews, whose words are IDs of a vocabulary.
// It fails without reviews, and if no word is frequent enough.
func Learn(pool sparse.Pool, reviews Reviews, vocab []string, o Options) (*Features, error) {
	o.Max, o.MinCount = cmp.Or(o.Max, 1), cmp.Or(o.MinCount, 1)
	start := flat(reviews)
	if reviews.Len() == 0 {
		return nil, errors.New("no review to learn n-grams from")
	}
	words, l, place := single(reviews, vocab, o)
	if len(words) == 0 {
		return nil, errors.New("no word of the reviews occurs often enough to be counted: lower ngrams.min_count, or take more reviews")
	}
	c := &counter{start: start, cuts: sparse.Cuts(start, shards), words: make([]int32, start[len(start)-1]), options: o}
	c.at = make([]int32, len(c.words))
	err := pool.For(shards, func(s int) {
		for b := c.cuts[s]; b < c.cuts[s+1]; b++ {
			for i, id := range reviews.Words(b) {
				c.words[start[b]+i], c.at[start[b]+i] = place[id], place[id]
			}
		}
	})
	levels := [][]gram{l}
	for n := 2; n <= o.Max && err == nil && len(levels[n-2]) > 0; n++ {
		var next []gram
		next, err = c.grow(pool, n, levels[n-2])
		levels = append(levels, next)
	}
	if err != nil {
		return nil, err
	}
	f := rank(levels, o.Top)
	f.Words, f.Trained, f.Max = words[:len(f.single)], reviews.Len(), o.Max
	f.complete()
	return f, nil
}

// single counts words. It returns the kept words by falling count, then by their bytes, and the
// index of each word of the vocabulary among them, or none.
func single(r Reviews, vocab []string, o Options) (words []string, l []gram, place []int32) {
	count, reviews, seen := make([]int32, len(vocab)), make([]int32, len(vocab)), make([]int32, len(vocab))
	for b := range r.Len() {
		for _, id := range r.Words(b) {
			count[id]++
			if seen[id] != int32(b+1) {
				seen[id] = int32(b + 1)
				reviews[id]++
			}
		}
	}
	var kept []int32
	for id := range count {
		if count[id] > 0 && int(count[id]) >= o.MinCount {
			kept = append(kept, int32(id))
		}
	}
	slices.SortFunc(kept, func(a, b int32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(vocab[a], vocab[b]))
	})
	place = seen
	for id := range place {
		place[id] = none
	}
	for i, id := range kept {
		place[id] = int32(i)
		words = append(words, vocab[id])
		l = append(l, gram{none, int32(i), count[id], reviews[id]})
	}
	return words, l, place
}

// rank numbers the n-grams of all levels by falling count, then by rising n, then in the order
// of their level, and keeps the first top of them. f.single has the length of its words.
func rank(levels [][]gram, top int) *Features {
	highest, total := int32(0), 0
	for _, l := range levels {
		total += len(l)
		for _, g := range l {
			highest = max(highest, g.count)
		}
	}
	next := make([]int32, highest+2) // by count: the next number
	for _, l := range levels {
		for _, g := range l {
			next[g.count]++
		}
	}
	n := int32(0)
	for c := highest; c >= 0; c-- {
		next[c], n = n, n+next[c]
	}
	if top > 0 {
		total = min(total, top)
	}
	f := &Features{grams: make([]gram, total)}
	var below []int32 // numbers of the n-grams of the level below
	for n, l := range levels {
		number := make([]int32, len(l))
		for i, g := range l {
			k := next[g.count]
			next[g.count]++
			number[i] = k
			if int(k) >= total {
				continue
			}
			if n > 0 {
				g.first = below[g.first]
			} else {
				f.single = append(f.single, k)
			}
			f.grams[k] = g
		}
		below = number
	}
	return f
}
