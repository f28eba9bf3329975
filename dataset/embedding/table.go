// Package embedding maps words to rows of a table: the words of a corpus that have vectors, the most
// frequent first, and one row for all others. N-grams of the train reviews may follow.
package embedding

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
)

// OOVRow is the row of a Table for all words without a vector.
const OOVRow int32 = 0

// Table has the word vectors of a run in R rows: OOVRow, then the words of the kept reviews
// by decreasing count. The name of an n-gram is its words with a blank between two, which no word has.
type Table struct {
	Rows   []float32 // [R, Dim]
	Dim    int
	Words  []string // [R]; Words[OOVRow] is "", which no word is
	Policy OOV

	maxWords int // words of the longest n-gram
	index    func() map[string]int32
}

// NewTable makes a table from its parts, as a run keeps them.
func NewTable(words []string, rows []float32, dim int, policy OOV) *Table {
	t := &Table{Rows: rows, Dim: dim, Words: words, Policy: policy}
	t.init()
	return t
}

func (t *Table) init() {
	t.maxWords = Longest(t.Words)
	t.index = sync.OnceValue(func() map[string]int32 { return dataset.Index(t.Words) })
}

// Len returns R, the number of rows.
func (t *Table) Len() int { return len(t.Words) }

// Row returns the row of a word; ok is false, and the row OOVRow, for a word
// without one.
func (t *Table) Row(word string) (row int32, ok bool) {
	row, ok = t.index()[word]
	return row, ok && row != OOVRow
}

// setMean makes the row OOVRow the mean of the rows of words that occur in the reviews that are
// trained on, summed in float64 in the order of the rows. counts [V] says how often a word of the
// vocabulary occurs there, word [V] which row it has.
func (t *Table) setMean(counts []int64, word []int32) {
	learned, n := make([]bool, len(t.Words)), 0
	for id, row := range word {
		learned[row] = counts[id] > 0
	}
	sum := make([]float64, t.Dim)
	for row := 1; row < len(t.Words); row++ {
		if !learned[row] {
			continue
		}
		n++
		for d, x := range t.Rows[row*t.Dim:][:t.Dim] {
			sum[d] += float64(x)
		}
	}
	for d, s := range sum {
		t.Rows[d] = float32(s / float64(max(n, 1)))
	}
}

// Encode splits any text into rows as Encode did with the corpus's reviews.
// tokens[i] is the word of rows[i]; where a text leaves no word, rows is OOVRow
// alone with an empty token. maxLen 0 keeps all words.
func (t *Table) Encode(tok token.Tokenizer, text string, maxLen int) (rows []int32, tokens []token.Token) {
	t.Split(tok, text, maxLen, nil, func(row int32, word []byte, start, end int) {
		rows = append(rows, row)
		tokens = append(tokens, token.Token{Word: string(word), Start: start, End: end})
	})
	return rows, tokens
}

// Split is Encode with fewer allocations. It calls emit at least once, for each word and, after its
// last word, for each n-gram; emit must not keep the bytes. For words without a row it calls more, if
// that is not nil, which may return OOVRow, too.
func (t *Table) Split(tok token.Tokenizer, text string, maxLen int, more func(word []byte) int32, emit func(row int32, word []byte, start, end int)) {
	index, seen, kept := t.index(), 0, false
	var words []string // so far, and where they begin, if the table has n-grams
	var starts []int
	tok.Split(text, func(word []byte, start, end int) {
		if seen++; maxLen > 0 && seen > maxLen {
			return
		}
		row := index[string(word)] // OOVRow for a word that is not there
		if row == OOVRow && more != nil {
			row = more(word)
		}
		if row != OOVRow || t.Policy != OOVMasked {
			kept = true
			emit(row, word, start, end)
		}
		if t.maxWords == 1 {
			return
		}
		words, starts = append(words, string(word)), append(starts, start)
		for n := 2; n <= min(t.maxWords, seen); n++ {
			name := strings.Join(words[seen-n:], " ")
			if row, is := index[name]; is {
				kept = true
				emit(row, []byte(name), starts[seen-n], end)
			}
		}
	})
	if !kept {
		emit(OOVRow, nil, 0, 0)
	}
}

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
	maxN int              // words of the longest
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
		for n := 1; n < min(r.maxN, i+1) && before[n-1] >= 0; n++ {
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
	r := &Rows{Word: word, maxN: t.maxWords, oov: t.Policy}
	if t.maxWords == 1 {
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
// learned. They are sorted by length, then by decreasing count.
func (t *Table) addNGrams(r *Rows, vocab *dataset.Vocab, s *dataset.Split, reviews []int, o Options) {
	r.next = map[uint64]int32{}
	for r.maxN = 1; r.maxN < o.NGrams; r.maxN++ {
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
	t.maxWords = r.maxN
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
		for i := r.maxN; i < len(ids); i++ {
			before := ids[i-r.maxN]
			for _, id := range ids[i-r.maxN+1 : i] {
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
	longest := 1
	for _, name := range names {
		longest = max(longest, 1+strings.Count(name, " "))
	}
	return longest
}
