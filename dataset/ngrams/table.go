package ngrams

import "math/bits"

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
