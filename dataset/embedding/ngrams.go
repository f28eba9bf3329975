package embedding

import (
	"cmp"
	"slices"
	"strings"

	"imdbexp/dataset"
)

// MostNGrams is the length of the longest n-gram that may have a row.
const MostNGrams = 3

// Rows maps the words of a vocabulary to rows of a table. In a table with n-grams (Joulin et al.
// 2016, section 2.2), the row of an n-gram follows the row of its last word. An n-gram without a
// row is omitted.
//
// An n-gram is found by its last word and the n-gram before that word, which is at least as
// frequent, so it has a row, too.
type Rows struct {
	Word []int32          // [V] OOVRow for words without a vector
	next map[uint64]int32 // rows of n-grams by link; nil without any
	most int              // words of the longest
	oov  OOV
}

// link is the key of an n-gram: the word ID or the gram before its last word, and the ID of that
// word.
func link(before, word int32) uint64 { return uint64(uint32(before))<<32 | uint64(uint32(word)) }

// gram is the number of the n-gram of a row in links: they follow the word IDs.
func (r *Rows) gram(row int32) int32 { return int32(len(r.Word)) + row }

// Each calls emit for the rows of a text in order, with the index of the last word of each. Words
// without a vector have no row under OOVMasked.
func (r *Rows) Each(ids []int32, emit func(row int32, at int)) {
	var before [MostNGrams]int32 // the n-grams that end with the word before, by n − 1; −1 for none
	for i, id := range ids {
		if row := r.Word[id]; row != OOVRow || r.oov != OOVMasked {
			emit(row, i)
		}
		if r.next == nil {
			continue
		}
		ends := [MostNGrams]int32{id, -1, -1}
		for n := 1; n < min(r.most, i+1) && before[n-1] >= 0; n++ {
			if row, is := r.next[link(before[n-1], id)]; is {
				emit(row, i)
				ends[n] = r.gram(row)
			}
		}
		before = ends
	}
}

// Over returns the rows for the words of a vocabulary whose own are given [V].
func (t *Table) Over(vocab *dataset.Vocab, word []int32) *Rows {
	r := &Rows{Word: word, most: t.most, oov: t.Policy}
	if t.most == 1 {
		return r
	}
	r.next = map[uint64]int32{}
	at := dataset.Index(vocab.Words)
	for row, name := range t.Words {
		end := strings.LastIndexByte(name, ' ')
		if end < 0 {
			continue
		}
		before, is := at[name[:end]]
		if inner, ok := t.Row(name[:end]); ok && strings.IndexByte(name[:end], ' ') >= 0 {
			before, is = r.gram(inner), true
		}
		if last, ok := at[name[end+1:]]; is && ok {
			r.next[link(before, last)] = int32(row)
		}
	}
	return r
}

// addNGrams gives a row of zeros to each n-gram of up to o.NGrams words that occurs
// o.NGramMin times or more in the given reviews: it adds nothing until it has been
// learned. They stand by their length, then by falling count.
func (t *Table) addNGrams(r *Rows, vocab *dataset.Vocab, s *dataset.Split, reviews []int, o Options) {
	r.next = map[uint64]int32{}
	for r.most = 1; r.most < o.NGrams; r.most++ {
		for _, g := range r.longer(s, reviews, o) {
			before, last := int32(g.link>>32), int32(uint32(g.link))
			var name string
			if first := r.gram(0); before < first {
				name = vocab.Words[before]
			} else {
				name = t.Words[before-first]
			}
			r.next[g.link] = int32(len(t.Words))
			t.Words = append(t.Words, name+" "+vocab.Words[last])
		}
	}
	t.most = r.most
	t.Rows = append(t.Rows, make([]float32, len(t.Words)*t.Dim-len(t.Rows))...)
}

// gram is an n-gram of a corpus and how often it occurs.
type gram struct {
	link  uint64
	count int
}

// longer returns the n-grams of one word more than r knows that occur often enough, by
// falling count. It takes eight bytes of memory for each word of the reviews.
func (r *Rows) longer(s *dataset.Split, reviews []int, o Options) (out []gram) {
	var links []uint64
	for _, b := range reviews {
		ids := cut(s, b, o.MaxLen)
		for i := r.most; i < len(ids); i++ {
			before := ids[i-r.most]
			for _, id := range ids[i-r.most+1 : i] {
				row, is := r.next[link(before, id)]
				if before = r.gram(row); !is {
					before = -1
					break
				}
			}
			if before >= 0 {
				links = append(links, link(before, ids[i]))
			}
		}
	}
	slices.Sort(links)
	for from := 0; from < len(links); {
		to := from + 1
		for to < len(links) && links[to] == links[from] {
			to++
		}
		if to-from >= o.NGramMin {
			out = append(out, gram{links[from], to - from})
		}
		from = to
	}
	slices.SortFunc(out, func(a, b gram) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.link, b.link))
	})
	return out
}

// Longest returns how many words the longest name of a table has.
func Longest(names []string) int {
	most := 1
	for _, name := range names {
		most = max(most, 1+strings.Count(name, " "))
	}
	return most
}
