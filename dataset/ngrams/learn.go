package ngrams

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"imdbexp/internal/sparse"
)

// Learn finds the features of the training reviews, whose words are IDs of a vocabulary.
// It fails without reviews, and if no word is frequent enough.
func Learn(pool sparse.Pool, reviews Reviews, vocab []string, o Options) (*Features, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	start, err := flat(reviews)
	if err != nil {
		return nil, err
	}
	if reviews.Len() == 0 {
		return nil, errors.New("no review to learn n-grams from")
	}
	words, l, place := single(reviews, vocab, o)
	if len(words) == 0 {
		return nil, errors.New("no word of the reviews occurs often enough to be counted: lower ngrams.min_count, or take more reviews")
	}
	c := &counter{start: start, cuts: sparse.Cuts(start, shards), words: make([]int32, start[len(start)-1]), options: o}
	c.at = make([]int32, len(c.words))
	err = pool.For(shards, func(s int) {
		for b := c.cuts[s]; b < c.cuts[s+1]; b++ {
			for i, id := range reviews.Words(b) {
				c.words[start[b]+i], c.at[start[b]+i] = place[id], place[id]
			}
		}
	})
	levels := []*level{l}
	for n := 2; n <= o.Max && err == nil && levels[n-2].len() > 0; n++ {
		var next *level
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

// level holds the n-grams of one n that are kept, in the order of their words.
type level struct {
	first, last    []int32 // number in the level below, none for n = 1; word
	count, reviews []int32
}

func (l *level) len() int { return len(l.last) }

// single counts words. It returns the kept words by falling count, then by their bytes, and the
// index of each word of the vocabulary among them, or none.
func single(r Reviews, vocab []string, o Options) (words []string, l *level, place []int32) {
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
	l, place = &level{}, seen
	for id := range place {
		place[id] = none
	}
	for i, id := range kept {
		place[id] = int32(i)
		words = append(words, vocab[id])
		l.first, l.last = append(l.first, none), append(l.last, int32(i))
		l.count, l.reviews = append(l.count, count[id]), append(l.reviews, reviews[id])
	}
	return words, l, place
}

// rank numbers the n-grams of all levels by falling count, then by rising n, then in the order
// of their level, and keeps the first top of them. f.single has the length of its words.
func rank(levels []*level, top int) *Features {
	most, total := int32(0), 0
	for _, l := range levels {
		most, total = max(most, slices.Max(append(l.count, 0))), total+l.len()
	}
	next := make([]int32, most+2) // by count: the next number
	for _, l := range levels {
		for _, c := range l.count {
			next[c]++
		}
	}
	n := int32(0)
	for c := most; c >= 0; c-- {
		next[c], n = n, n+next[c]
	}
	if top > 0 {
		total = min(total, top)
	}
	f := &Features{
		first: make([]int32, total), last: make([]int32, total),
		count: make([]int32, total), reviews: make([]int32, total),
	}
	var below []int32 // numbers of the n-grams of the level below
	for n, l := range levels {
		number := make([]int32, l.len())
		for i, c := range l.count {
			k := next[c]
			next[c]++
			number[i] = k
			if int(k) >= total {
				continue
			}
			f.first[k], f.last[k], f.count[k], f.reviews[k] = none, l.last[i], c, l.reviews[i]
			if n > 0 {
				f.first[k] = below[l.first[i]]
			} else {
				f.single = append(f.single, k)
			}
		}
		below = number
	}
	return f
}
