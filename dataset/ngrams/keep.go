package ngrams

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"strings"
)

// Keep returns the features with keep[f] and their parts, in their order, and which they
// are. Of a text all of whose features are kept it finds what f finds.
func (f *Features) Keep(keep []bool) (kept *Features, which []int32) {
	all := make([]bool, f.Len())
	for i := f.Len() - 1; i >= 0; i-- { // a part has a smaller number than the whole
		if all[i] = all[i] || keep[i]; !all[i] {
			continue
		}
		all[f.single[f.last[i]]] = true
		if p := f.first[i]; p != none {
			all[p] = true
		}
	}
	kept = &Features{Trained: f.Trained, Max: f.Max}
	word := make([]int32, len(f.Words))
	for w, s := range f.single {
		if all[s] {
			word[w] = int32(len(kept.Words))
			kept.Words = append(kept.Words, f.Words[w])
		}
	}
	number := make([]int32, f.Len())
	for i, is := range all {
		if !is {
			continue
		}
		number[i] = int32(len(which))
		which = append(which, int32(i))
		first := int32(none)
		if p := f.first[i]; p != none {
			first = number[p]
		}
		kept.first, kept.last = append(kept.first, first), append(kept.last, word[f.last[i]])
		kept.count, kept.reviews = append(kept.count, f.count[i]), append(kept.reviews, f.reviews[i])
	}
	kept.complete()
	return kept, which
}

// Left is a Bloom filter of omitted features, with 12 bits each (Bloom 1970). It has no false
// negatives; about 3 of 1000 other n-grams are false positives.
type Left struct {
	N    int // omitted features
	max  int
	bits []uint64
}

const leftHashes = 8

// Without returns the features of f that kept, which Keep has returned, does not have.
func (f *Features) Without(kept *Features) *Left {
	l := &Left{N: f.Len() - kept.Len(), max: f.Max}
	l.bits = make([]uint64, l.N*3/16+1)
	place := f.places(kept.Words)
	back := make([]int32, len(f.Words)) // of a word of f in kept
	for i := range back {
		back[i] = none
	}
	for i, w := range place {
		back[w] = int32(i)
	}
	number := make([]int32, f.Len())
	for i := range f.Len() { // its part comes first
		number[i] = none
		w, p := back[f.last[i]], f.first[i]
		switch {
		case w == none:
		case p == none:
			number[i] = kept.single[w]
		case number[p] != none:
			number[i] = kept.table.get(key(number[p], w))
		}
		if number[i] == none {
			l.each(f.Name(i), func(word, bit uint64) bool { l.bits[word] |= bit; return true })
		}
	}
	return l
}

// each calls f for the bits of a name until f returns false.
func (l *Left) each(name string, f func(word, bit uint64) bool) bool {
	h := fnv.New64a()
	h.Write([]byte(name))
	a := h.Sum64()
	b := (a ^ a>>29) * 0x9e3779b97f4a7c15 >> 7
	for range leftHashes {
		at := a % uint64(64*len(l.bits))
		if !f(at/64, 1<<(at%64)) {
			return false
		}
		a += b | 1
	}
	return true
}

// Count returns an upper bound on the different n-grams of a text that kept omits.
func (l *Left) Count(kept *Features, words []string) int {
	t, vocab := one(words)
	found, left := map[string]bool{}, map[string]bool{}
	kept.find(t, kept.places(vocab), func(feature int32, _, _ int) { found[kept.Name(int(feature))] = true })
	is := func(name string) bool {
		return found[name] || left[name] || l.each(name, func(word, bit uint64) bool { return l.bits[word]&bit != 0 })
	}
	for n := 1; n <= l.max; n++ {
		for i := 0; i+n <= len(words); i++ {
			name := strings.Join(words[i:i+n], " ")
			// All parts of a feature are features.
			if n > 1 && !(is(strings.Join(words[i:i+n-1], " ")) && is(strings.Join(words[i+1:i+n], " "))) {
				continue
			}
			if is(name) && !found[name] {
				left[name] = true
			}
		}
	}
	return len(left)
}

// MarshalBinary returns it as bytes, for UnmarshalBinary.
func (l *Left) MarshalBinary() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(l.N))
	b = binary.AppendUvarint(b, uint64(l.max))
	for _, x := range l.bits {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Damaged bytes give an error.
func (l *Left) UnmarshalBinary(b []byte) error {
	n, a := binary.Uvarint(b)
	m, c := 0, uint64(0)
	if a > 0 {
		c, m = binary.Uvarint(b[a:])
	}
	if a <= 0 || m <= 0 || n > math.MaxInt32 || c > MaxWords || (len(b)-a-m)%8 != 0 || len(b) == a+m {
		return errors.New("omitted n-grams: the bytes are damaged")
	}
	*l = Left{N: int(n), max: int(c)}
	for b = b[a+m:]; len(b) > 0; b = b[8:] {
		l.bits = append(l.bits, binary.LittleEndian.Uint64(b))
	}
	return nil
}
