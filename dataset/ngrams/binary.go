package ngrams

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Features as bytes, all numbers as varints: version, reviews, longest, number of words, each
// word's length and bytes, number of features, and of each the number of its first words plus
// one, its last word, and its counts.
const version = 1

// MarshalBinary returns the features as bytes, for UnmarshalBinary.
func (f *Features) MarshalBinary() ([]byte, error) {
	var b []byte
	put := func(values ...int) {
		for _, v := range values {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	put(version, f.Trained, f.Max, len(f.Words))
	for _, w := range f.Words {
		put(len(w))
		b = append(b, w...)
	}
	put(f.Len())
	for i := range f.Len() {
		put(int(f.first[i]+1), int(f.last[i]), int(f.count[i]), int(f.reviews[i]))
	}
	return b, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Damaged bytes give an error.
func (f *Features) UnmarshalBinary(b []byte) error {
	bad := errors.New("features of n-grams: the bytes are damaged")
	ok := true
	get := func(most int) int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(most) {
			ok = false
			return 0
		}
		b = b[n:]
		return int(v)
	}
	const most = 1<<31 - 2
	if v := get(most); ok && v != version {
		return fmt.Errorf("features of n-grams: version %d, this program reads %d", v, version)
	}
	g := Features{Trained: get(most), Max: get(MaxWords)}
	for range get(len(b)) {
		n := get(len(b))
		if !ok || n > len(b) {
			return bad
		}
		g.Words, b = append(g.Words, string(b[:n])), b[n:]
	}
	n := get(len(b))
	single := make([]bool, len(g.Words))
	for i := range n {
		first, last := int32(get(i))-1, int32(get(len(g.Words)-1))
		g.first, g.last = append(g.first, first), append(g.last, last)
		g.count, g.reviews = append(g.count, int32(get(most))), append(g.reviews, int32(get(g.Trained)))
		if !ok || len(g.Words) == 0 || first != none && g.Size(i) > g.Max {
			return bad
		}
		if first == none {
			single[last] = true
		}
	}
	for _, s := range single {
		ok = ok && s
	}
	if !ok || len(b) > 0 {
		return bad
	}
	g.complete()
	*f = g
	return nil
}

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
