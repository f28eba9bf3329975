package ngrams

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/simd"
	"imdbexp/internal/sparse"
)

// Encode counts the features in reviews: a matrix [B, F] of counts, or of ones where binary.
// A review without a feature has an empty row.
func (f *Features) Encode(pool sparse.Pool, reviews Reviews, vocab []string, binary bool) (*sparse.Matrix, error) {
	start := flat(reviews)
	cuts, place := sparse.Cuts(start, shards), f.places(vocab)
	index, value := make([][]int32, shards), make([][]float32, shards) // of the entries of each shard
	m := &sparse.Matrix{Rows: reviews.Len(), Cols: f.Len(), Start: make([]int, reviews.Len()+1)}
	err := pool.For(shards, func(s int) {
		var found []int32
		for b := cuts[s]; b < cuts[s+1]; b++ {
			found = found[:0]
			f.find(reviews.Words(b), place, func(feature int32, _, _ int) { found = append(found, feature) })
			slices.Sort(found)
			n := len(index[s])
			for i, c := range found {
				if i == 0 || c != found[i-1] {
					index[s] = append(index[s], c)
				}
				if !binary {
					value[s] = append(value[s], make([]float32, len(index[s])-len(value[s]))...)
					value[s][len(value[s])-1]++
				}
			}
			m.Start[b+1] = len(index[s]) - n
		}
	})
	for b := range m.Rows {
		m.Start[b+1] += m.Start[b]
	}
	m.Index = slices.Concat(index...)
	if !binary {
		m.Value = slices.Concat(value...)
	}
	return m, err
}

// Occurrence is a feature of a text at a place: the words From … To.
type Occurrence struct{ Feature, From, To int }

// Find returns all features of a text, with their places, by rising From, then To. Words that
// are in no feature are allowed.
func (f *Features) Find(words []string) []Occurrence {
	text := make([]int32, len(words)) // each word by its index
	for i := range text {
		text[i] = int32(i)
	}
	var out []Occurrence
	f.find(text, f.places(words), func(feature int32, from, to int) {
		out = append(out, Occurrence{int(feature), from, to})
	})
	return out
}

// find calls yield for every feature of a text, whose words have places among f.Words.
func (f *Features) find(text, place []int32, yield func(feature int32, from, to int)) {
	for i, id := range text {
		w := place[id]
		if w == none {
			continue
		}
		feature := f.single[w]
		yield(feature, i, i+1)
		for j := i + 1; j < min(i+f.Max, len(text)); j++ {
			if w = place[text[j]]; w == none {
				break
			}
			if feature = f.table.get(key(feature, w)); feature == none {
				break
			}
			yield(feature, i, j+1)
		}
	}
}

// places returns where the words of a vocabulary are in f.Words, or none.
func (f *Features) places(vocab []string) []int32 {
	at := make(map[string]int32, len(f.Words))
	for i, w := range f.Words {
		at[w] = int32(i)
	}
	place := make([]int32, len(vocab))
	for id, w := range vocab {
		if i, ok := at[w]; ok {
			place[id] = i
		} else {
			place[id] = none
		}
	}
	return place
}

// IDF returns the inverse document frequency of each feature [F] as scikit-learn's
// TfidfTransformer smooths it: ln((1+n)/(1+df)) + 1, with n reviews in train, df of them with the
// feature.
func (f *Features) IDF() []float64 {
	idf := make([]float64, f.Len())
	n := simd.Log64(float64(1 + f.Trained))
	for i, g := range f.grams {
		idf[i] = n - simd.Log64(float64(1+g.reviews)) + 1
	}
	return idf
}

// TFIDF turns the counts of a matrix [B, F], in place, into tf·idf, each row divided by its
// Euclidean length; with sublinear, tf is 1 + ln(count). A row of zeros stays one. A matrix of
// ones gets values: tf is 1.
func TFIDF(pool sparse.Pool, m *sparse.Matrix, idf []float64, sublinear bool) error {
	binary := m.Value == nil
	if binary {
		m.Value = make([]float32, len(m.Index))
	}
	cuts := sparse.Cuts(m.Start, shards)
	return pool.For(shards, func(s int) {
		from, to := cuts[s], cuts[s+1]
		var row []float64
		for i := from; i < to; i++ {
			index, value := m.Row(i)
			row = row[:0]
			var squares float64
			for j, c := range index {
				tf := float64(value[j])
				if binary {
					tf = 1
				}
				if sublinear {
					tf = simd.Log64(tf) + 1
				}
				x := float64(tf * idf[c])
				squares += float64(x * x)
				row = append(row, x)
			}
			length := math.Sqrt(squares)
			for j, x := range row {
				value[j] = float32(x / length)
			}
		}
	})
}

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
	for _, g := range f.grams {
		put(int(g.first+1), int(g.last), int(g.count), int(g.reviews))
	}
	return b, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Damaged bytes give an error.
func (f *Features) UnmarshalBinary(b []byte) error {
	bad := errors.New("features of n-grams: the bytes are damaged")
	ok := true
	get := func(limit int) int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(limit) {
			ok = false
			return 0
		}
		b = b[n:]
		return int(v)
	}
	const maxInt = 1<<31 - 2
	if v := get(maxInt); ok && v != version {
		return fmt.Errorf("features of n-grams: version %d, this program reads %d", v, version)
	}
	g := Features{Trained: get(maxInt), Max: get(MaxWords)}
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
		x := gram{int32(get(i)) - 1, int32(get(len(g.Words) - 1)), int32(get(maxInt)), int32(get(g.Trained))}
		g.grams = append(g.grams, x)
		if !ok || len(g.Words) == 0 || x.first != none && g.Size(i) > g.Max {
			return bad
		}
		if x.first == none {
			single[x.last] = true
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
		all[f.single[f.grams[i].last]] = true
		if p := f.grams[i].first; p != none {
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
		g := f.grams[i]
		if g.last = word[g.last]; g.first != none {
			g.first = number[g.first]
		}
		kept.grams = append(kept.grams, g)
	}
	kept.complete()
	return kept, which
}
