package ngrams

import (
	"cmp"
	"math/bits"
	"slices"

	"imdbexp/internal/sparse"
)

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
	const maxParts = 64
	total := 0
	for _, g := range l {
		total += int(g.count)
	}
	part = make([]uint16, len(l))
	sum, target := 0, total/maxParts+1
	for i, g := range l {
		part[i] = uint16(parts)
		if sum += int(g.count); sum >= target {
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
