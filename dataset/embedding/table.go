// Package embedding maps words to rows of a table: the words of a corpus that have vectors, the most
// frequent first, and one row for all others. N-grams of the train reviews may follow.
package embedding

import (
	"strings"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
)

// OOVRow is the row of a Table for all words without a vector.
const OOVRow int32 = 0

// Table is the word vectors of a training: R rows, the words of the kept
// reviews by falling count behind the row OOVRow. The name of an n-gram is its words
// with a blank between two, which no word has.
type Table struct {
	Rows   []float32 // [R, Dim]
	Dim    int
	Words  []string // [R]; Words[OOVRow] is "", which no word is
	Policy OOV
	Whole  bool // nothing of the reviews that Encode made it from needs OOVRow: Policy makes no difference to them

	most  int // words of the longest n-gram
	index func() map[string]int32
}

// NewTable makes a table from its parts, as a run keeps them.
func NewTable(words []string, rows []float32, dim int, policy OOV) *Table {
	t := &Table{Rows: rows, Dim: dim, Words: words, Policy: policy}
	t.init()
	return t
}

func (t *Table) init() {
	t.most = Longest(t.Words)
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

// Split is Encode without its garbage. It calls emit at least once, for each word and, after its
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
		if t.most == 1 {
			return
		}
		words, starts = append(words, string(word)), append(starts, start)
		for n := 2; n <= min(t.most, seen); n++ {
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
