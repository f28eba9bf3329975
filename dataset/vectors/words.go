package vectors

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// metWords has the words that one worker has read, and the vectors of those to keep.
type metWords struct {
	dim   int
	index map[string]int32 // words to keep; nil keeps all
	kept  []keptVector
	rows  []float32 // free space for kept rows
	seen  []seenWord
	text  []byte // the words seen, one after another
}

// keptVector is the vector of a word to keep.
type keptVector struct {
	id    int32 // index among the words to keep
	place int   // line, or number of the word
	seen  int
	row   []float32
}

// seenWord is any word of the file.
type seenWord struct {
	hash   uint64
	at, to int // of its spelling in text
	place  int
}

// keptIndex returns the index of the words to keep, nil for all words.
func keptIndex(keep []string) map[string]int32 {
	if keep == nil {
		return nil
	}
	return dataset.Index(keep)
}

// add records a word. If its vector is to be kept, add returns the row for it.
func (m *metWords) add(word []byte, place int) (row []float32) {
	at := len(m.text)
	m.text = append(m.text, word...)
	m.seen = append(m.seen, seenWord{maphash.Bytes(hashSeed, word), at, len(m.text), place})
	id, wanted := int32(0), true
	if m.index != nil {
		id, wanted = m.index[string(word)]
	}
	if !wanted {
		return nil
	}
	if len(m.rows) < m.dim {
		m.rows = make([]float32, 1024*m.dim)
	}
	row, m.rows = m.rows[:m.dim:m.dim], m.rows[m.dim:]
	m.kept = append(m.kept, keptVector{id, place, len(m.seen) - 1, row})
	return row
}

// hashSeed changes with each start of the program. No result depends on it.
var hashSeed = maphash.MakeSeed()

func (m *metWords) word(i int) []byte { return m.text[m.seen[i].at:m.seen[i].to] }

// goodWord returns an error for bytes that are not a word.
func goodWord(word []byte) error {
	switch {
	case len(word) == 0:
		return errors.New("has no word before its values: " + fixLine)
	case !utf8.Valid(word):
		return fmt.Errorf("the word %q is not UTF-8: convert the file, for example with iconv -t UTF-8", word)
	case slices.Contains(word, 0):
		return fmt.Errorf("the word %s contains a NUL byte: the file is damaged or not text", stream.Quote(string(word)))
	}
	return nil
}

// join combines the words of the workers. bad makes an error at a place.
func join(workers []*metWords, keep []string, bad func(int, error) *placeError) (*Set, error) {
	type owned struct {
		keptVector
		by *metWords
	}
	v := &Set{Dim: workers[0].dim}
	var all []owned
	for _, g := range workers {
		v.Total += len(g.seen)
		for _, k := range g.kept {
			all = append(all, owned{k, g})
		}
	}
	if err := firstTwice(workers, v.Total, bad); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b owned) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.place, b.place))
	})
	v.Words, v.Rows = make([]string, len(all)), make([]float32, 0, len(all)*v.Dim)
	for i, k := range all {
		if keep != nil {
			v.Words[i] = keep[k.id]
		} else {
			v.Words[i] = string(k.by.word(k.seen))
		}
		v.Rows = append(v.Rows, k.row...)
	}
	return v, nil
}

// firstTwice returns an error at the first place whose word also occurs at an earlier one.
func firstTwice(workers []*metWords, total int, bad func(int, error) *placeError) error {
	if total > math.MaxInt32/2 {
		return bad(total, errTooMany)
	}
	starts := make([]int, len(workers)) // number of each worker's first word
	for i := range len(workers) - 1 {
		starts[i+1] = starts[i] + len(workers[i].seen)
	}
	word := func(n int32) (seenWord, []byte) {
		w := max(0, sort.SearchInts(starts, int(n)+1)-1)
		i := int(n) - starts[w]
		return workers[w].seen[i], workers[w].word(i)
	}
	mask := uint64(1)<<bits.Len(uint(2*total)) - 1
	table := make([]int32, mask+1) // open addressing, at most half full: numbers from 1
	first, second, spelling := 0, 0, ""
	for w, g := range workers {
		for i, s := range g.seen {
			at, text := s.hash&mask, g.word(i)
			for table[at] != 0 {
				old, oldText := word(table[at] - 1)
				if old.hash == s.hash && bytes.Equal(oldText, text) {
					if a, b := min(old.place, s.place), max(old.place, s.place); second == 0 || b < second {
						first, second, spelling = a, b, string(text)
					}
					break
				}
				at = (at + 1) & mask
			}
			if table[at] == 0 {
				table[at] = int32(starts[w] + i + 1)
			} else if old, _ := word(table[at] - 1); old.place > s.place {
				table[at] = int32(starts[w] + i + 1) // the earliest of all
			}
		}
	}
	if second == 0 {
		return nil
	}
	e := bad(second, nil)
	e.err = fmt.Errorf("word %s is repeated, first at %s %d: remove one of them", stream.Quote(spelling), e.unit, first)
	return e
}
