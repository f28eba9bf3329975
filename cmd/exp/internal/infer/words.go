package infer

import (
	"fmt"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
)

// Encoded is a text as the input of a model: n words, at least one. A text without words counts as
// one word without a vector.
type Encoded struct {
	Rows  []int32       // [n] rows of the model's table of vectors
	Words []token.Token // [n] the words with their positions in the text
	Known []bool        // [n] whether the word has a vector
}

// Encode splits a text into words and looks them up. It is safe for concurrent use, also while the
// model runs.
func (m *Model) Encode(text string) Encoded {
	var e Encoded
	m.split(text, func(row int32, word []byte, start, end int) {
		e.Rows = append(e.Rows, row)
		e.Words = append(e.Words, token.Token{Word: string(word), Start: start, End: end})
		e.Known = append(e.Known, row != embedding.OOVRow)
	})
	return e
}

// Unread returns the number of words after those of e, which data.max_len cuts off.
func (m *Model) Unread(text string, e Encoded) (n int) {
	if m.settings.MaxLen == 0 || len(e.Words) < m.settings.MaxLen {
		return 0
	}
	end := 0
	for _, w := range e.Words {
		end = max(end, w.End)
	}
	m.tokenizer.Split(text, func(_ []byte, start, _ int) {
		if start >= end {
			n++
		}
	})
	return n
}

// Wordless reports whether these are the words of a text without words, for which the model reads
// one empty word.
func Wordless(words []token.Token) bool { return len(words) == 1 && words[0].Word == "" }

// counted is Encode for rows alone, which are enough for Run: it appends them to dst. It counts the
// words without a vector, also those that oov=masked omits.
func (m *Model) counted(dst []int32, text string) (rows []int32, unknown int) {
	more := func(word []byte) int32 {
		row := m.more.row(word)
		if row == embedding.OOVRow {
			unknown++
		}
		return row
	}
	m.table.Split(m.tokenizer, text, m.settings.MaxLen, more, func(row int32, _ []byte, _, _ int) { dst = append(dst, row) })
	return dst, unknown
}

func (m *Model) split(text string, emit func(row int32, word []byte, start, end int)) {
	m.table.Split(m.tokenizer, text, m.settings.MaxLen, m.more.row, emit)
}

// row returns the row of a word; embedding.OOVRow for one without a vector.
func (m *Model) row(word string) int32 {
	row, ok := m.table.Row(word)
	if !ok {
		return m.more.row([]byte(word))
	}
	return row
}

// Words are the words of a text with their vectors, the input of a model.
type Words struct {
	Words   []token.Token // [n] with their positions in the text
	Known   []bool        // [n] whether the word has a vector
	Vectors []float32     // [n, d] of the chosen epoch
}

// Vectors splits a text into words and returns their vectors. A text without words counts as one
// word without a vector.
func (m *Model) Vectors(text string) Words {
	e := m.Encode(text)
	return Words{e.Words, e.Known, gather(nil, m.rows(), e.Rows, m.table.Dim)}
}

// rows returns the vectors of the rows of Encoded.Rows.
func (m *Model) rows() []float32 {
	if m.extended.active {
		return m.extended.table
	}
	if m.more != nil {
		return m.more.table()
	}
	return m.table.Rows
}

// gather appends rows of the table, d numbers each, to dst.
func gather(dst, table []float32, rows []int32, d int) []float32 {
	for _, r := range rows {
		dst = append(dst, table[int(r)*d:][:d]...)
	}
	return dst
}

// Dim returns the width d of the word vectors.
func (m *Model) Dim() int { return m.table.Dim }

// Weight returns a trained matrix by its name, such as positions [max, d], without a copy.
func (m *Model) Weight(name string) ([]float32, error) {
	for _, w := range m.weights.List() {
		if w.Name == name {
			return w.Data, nil
		}
	}
	return nil, fmt.Errorf("the model has no weight %s", name)
}

// Unknown returns the words of a text that have no vector, in their order, also those that the
// model does not read (oov=masked, data.max_len).
func (m *Model) Unknown(text string) []token.Token {
	var out []token.Token
	m.tokenizer.Split(text, func(word []byte, start, end int) {
		if m.row(string(word)) == embedding.OOVRow && (len(out) == 0 || out[len(out)-1].End <= start) {
			out = append(out, token.Token{Word: string(word), Start: start, End: end})
		}
	})
	return out
}
