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
	"math/bits"
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
	most, total := int32(0), 0
	for _, l := range levels {
		total += len(l)
		for _, g := range l {
			most = max(most, g.count)
		}
	}
	next := make([]int32, most+2) // by count: the next number
	for _, l := range levels {
		for _, g := range l {
			next[g.count]++
		}
	}
	n := int32(0)
	for c := most; c >= 0; c-- {
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

// shards is how many parts reviews are divided into for the workers.
const shards = 64

// counter counts n-grams for one n after another.
type counter struct {
	start   []int   // [B+1] where each review begins
	cuts    []int   // [shards+1] the reviews of each shard
	words   []int32 // [N] all words; none for a word that is not a feature
	at      []int32 // [N] number in its level of the n-gram that begins here, or none
	options Options
}

// grow counts the n-grams whose first and last n−1 words were kept, given those. Places go by
// their first n−1 words to parts of the numbers below, each of about as many occurrences; then
// each part is counted on its own, in the order of places.
func (c *counter) grow(pool sparse.Pool, n int, below []gram) ([]gram, error) {
	part, parts := divide(below)
	counts := make([][]int32, shards) // [shards][parts]
	err := pool.For(shards, func(s int) {
		counts[s] = make([]int32, parts)
		from, to := c.cuts[s], c.cuts[s+1]
		for b := from; b < to; b++ {
			c.candidates(b, n, func(p int) { counts[s][part[c.at[p]]]++ })
		}
	})
	if err != nil {
		return nil, err
	}
	ends, total := make([]int32, parts), int32(0)
	for p := range parts {
		for s := range counts {
			counts[s][p], total = total, total+counts[s][p]
		}
		ends[p] = total
	}
	places := make([]int32, total)
	err = pool.For(shards, func(s int) {
		from, to := c.cuts[s], c.cuts[s+1]
		next := counts[s]
		for p := c.start[from]; p < c.start[to]; p++ {
			if c.at[p] != none {
				places[next[part[c.at[p]]]] = int32(p)
				next[part[c.at[p]]]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	found := make([][]counted, parts)
	of := func(p int) []int32 {
		if p == 0 {
			return places[:ends[0]]
		}
		return places[ends[p-1]:ends[p]]
	}
	if err = pool.For(parts, func(p int) { found[p] = c.count(n, of(p)) }); err != nil {
		return nil, err
	}
	base, l := make([]int32, parts), []gram(nil)
	for p, grams := range found {
		base[p] = int32(len(l))
		for _, g := range grams {
			l = append(l, gram{int32(g.key >> 32), int32(g.key), g.count, g.reviews})
		}
	}
	return l, pool.For(parts, func(p int) {
		for _, at := range of(p) {
			if c.at[at] != none {
				c.at[at] += base[p]
			}
		}
	})
}

// candidates calls f for the places of review b whose n words can be a feature, and strikes
// the others.
func (c *counter) candidates(b, n int, f func(place int)) {
	from, to := c.start[b], c.start[b+1]
	for p := from; p < to; p++ {
		if p+n > to || c.at[p] == none || c.at[p+1] == none {
			c.at[p] = none
			continue
		}
		f(p)
	}
}

// counted is an n-gram that is counted.
type counted struct {
	key     uint64
	count   int32
	reviews int32
	review  int32 // the last that it was in
	number  int32 // as found
}

// count counts the n-grams at rising places. It returns the frequent ones in the order of
// their keys, and leaves at each place the number in that order.
func (c *counter) count(n int, places []int32) []counted {
	var grams []counted
	t := newTable(len(places))
	review := 0
	for _, p := range places {
		for c.start[review+1] <= int(p) {
			review++
		}
		k := key(c.at[p], c.words[int(p)+n-1])
		s := t.slot(k)
		if s.number == 0 {
			*s = slot{k, int32(len(grams) + 1)}
			grams = append(grams, counted{key: k, number: int32(len(grams)), review: none})
		}
		g := &grams[s.number-1]
		g.count++
		if g.review != int32(review) {
			g.review = int32(review)
			g.reviews++
		}
		c.at[p] = g.number
	}
	number := make([]int32, len(grams))
	for i := range number {
		number[i] = none
	}
	grams = slices.DeleteFunc(grams, func(g counted) bool { return int(g.count) < c.options.MinCount })
	slices.SortFunc(grams, func(a, b counted) int { return cmp.Compare(a.key, b.key) })
	for i, g := range grams {
		number[g.number] = int32(i)
	}
	for _, p := range places {
		c.at[p] = number[c.at[p]]
	}
	return slices.Clip(grams)
}

// divide cuts the numbers of a level into parts of about the same number of occurrences.
func divide(l []gram) (part []uint16, parts int) {
	const most = 64
	total := 0
	for _, g := range l {
		total += int(g.count)
	}
	part = make([]uint16, len(l))
	sum, least := 0, total/most+1
	for i, g := range l {
		part[i] = uint16(parts)
		if sum += int(g.count); sum >= least {
			sum, parts = 0, parts+1
		}
	}
	return part, parts + 1
}

// table finds the number of a key: open addressing, linear probing, at most half full.
type table struct {
	slots []slot
	shift uint // of the hash, to a slot
}

type slot struct {
	key    uint64
	number int32 // plus one; 0 is an empty slot
}

// key packs a feature and the word after it.
func key(first, last int32) uint64 { return uint64(first)<<32 | uint64(uint32(last)) }

func newTable(n int) table {
	width := max(4, bits.Len(uint(2*n)))
	return table{make([]slot, 1<<width), uint(64 - width)}
}

func (t *table) slot(k uint64) *slot {
	mask := uint64(len(t.slots) - 1)
	h := (k ^ k>>29) * 0x9e3779b97f4a7c15 >> t.shift
	for {
		s := &t.slots[h&mask]
		if s.number == 0 || s.key == k {
			return s
		}
		h++
	}
}

func (t *table) put(k uint64, number int32) { *t.slot(k) = slot{k, number + 1} }

// get returns the number of a key, none if it has none.
func (t *table) get(k uint64) int32 { return t.slot(k).number - 1 }
