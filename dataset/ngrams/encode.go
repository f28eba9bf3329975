package ngrams

import (
	"slices"

	"imdbexp/internal/sparse"
)

// Encode counts the features in reviews: a matrix [B, F] of counts, or of ones where binary.
// A review without a feature has an empty row.
func (f *Features) Encode(pool sparse.Pool, reviews Reviews, vocab []string, binary bool) (*sparse.Matrix, error) {
	start, err := flat(reviews)
	if err != nil {
		return nil, err
	}
	cuts, place := sparse.Cuts(start, shards), f.places(vocab)
	type rows struct {
		index []int32
		value []float32
	}
	parts := make([]rows, shards)
	m := &sparse.Matrix{Rows: reviews.Len(), Cols: f.Len(), Start: make([]int, reviews.Len()+1)}
	err = pool.For(shards, func(s int) {
		from, to := cuts[s], cuts[s+1]
		var found []int32
		var r rows
		for b := from; b < to; b++ {
			found = found[:0]
			f.find(reviews.Words(b), place, func(feature int32, _, _ int) { found = append(found, feature) })
			slices.Sort(found)
			n := len(r.index)
			for i, c := range found {
				if i == 0 || c != found[i-1] {
					r.index = append(r.index, c)
					if !binary {
						r.value = append(r.value, 0)
					}
				}
				if !binary {
					r.value[len(r.value)-1]++
				}
			}
			m.Start[b+1] = len(r.index) - n
		}
		parts[s] = r
	})
	if err != nil {
		return nil, err
	}
	for b := range m.Rows {
		m.Start[b+1] += m.Start[b]
	}
	m.Index = make([]int32, m.Start[m.Rows])
	if !binary {
		m.Value = make([]float32, len(m.Index))
	}
	err = pool.For(shards, func(s int) {
		from := cuts[s]
		copy(m.Index[m.Start[from]:], parts[s].index)
		if !binary {
			copy(m.Value[m.Start[from]:], parts[s].value)
		}
		parts[s] = rows{}
	})
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
