package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/runs"
)

// Encoded is a text as the input of a model: n words, at least one. A text without words counts as
// one word without a vector.
type Encoded struct {
	Rows  []int32       // [n] rows of the model's table of vectors
	Words []token.Token // [n] the words with their positions in the text
	Known []bool        // [n] whether the word has a vector
	Name  string        // of the text, for errors; "" for none
}

// Texts returns the words of tokens.
func Texts(tokens []token.Token) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Word
	}
	return out
}

// Encode splits a text into words and looks them up. It is safe for concurrent use, also while the
// model runs.
func (m *Model) Encode(text string) Encoded {
	var e Encoded
	m.table.Split(m.tokenizer, text, m.settings.MaxLen, m.lookedUp, func(row int32, word []byte, start, end int) {
		e.Rows = append(e.Rows, row)
		e.Words = append(e.Words, token.Token{Word: string(word), Start: start, End: end})
		e.Known = append(e.Known, row != embedding.OOVRow)
	})
	return e
}

// Wordless reports whether these are the words of a text without words, for which the model reads
// one empty word.
func Wordless(words []token.Token) bool { return len(words) == 1 && words[0].Word == "" }

// counted is Encode for rows alone, which are enough for Run: it appends them to dst. It counts the
// words without a vector, also those that oov=masked omits.
func (m *Model) counted(dst []int32, text string) (rows []int32, unknown int) {
	more := func(word []byte) int32 {
		row := m.lookedUp(word)
		if row == embedding.OOVRow {
			unknown++
		}
		return row
	}
	m.table.Split(m.tokenizer, text, m.settings.MaxLen, more, func(row int32, _ []byte, _, _ int) { dst = append(dst, row) })
	return dst, unknown
}

// row returns the row of a word; embedding.OOVRow for one without a vector.
func (m *Model) row(word string) int32 {
	row, ok := m.table.Row(word)
	if !ok {
		return m.lookedUp([]byte(word))
	}
	return row
}

// Word returns the word of a row of the model's table; "" for vectors that belong to no word of it.
func (m *Model) Word(row int32) string {
	if int(row) >= len(m.table.Words) {
		return ""
	}
	return m.table.Words[row]
}

// vectors returns the vectors of the rows of Encoded.Rows. Later rows do not change them.
func (m *Model) vectors() []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rows
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

// WithVectors appends vectors [k, d] to the model's table while f runs: in f the row first + i of
// Encoded.Rows is vector i. So the model can predict from any vectors. f may change the vectors in
// rows and predict again; it must neither encode texts nor call WithVectors.
func (m *Model) WithVectors(vectors []float32, f func(first int32, rows []float32) error) error {
	n := len(m.rows)
	m.rows = append(m.rows, vectors...)
	defer func() { m.rows = m.rows[:n] }()
	return f(int32(n/m.table.Dim), m.rows[n:])
}

// Vector returns the vector of a row of the model's table, without a copy.
func (m *Model) Vector(row int32) []float32 {
	return m.vectors()[int(row)*m.table.Dim:][:m.table.Dim]
}

// MeanVector returns the mean vector of all words that have one.
func (m *Model) MeanVector() []float32 {
	d := m.table.Dim
	sum, n := make([]float64, d), 0
	for at := d; at < len(m.table.Rows); at += d { // row 0 is for words without a vector
		for j, v := range m.table.Rows[at:][:d] {
			sum[j] += float64(v)
		}
		n++
	}
	for j := range sum {
		sum[j] /= float64(max(n, 1))
	}
	return Float32s(sum)
}

// Nearest returns for each row the row of the word whose vector is nearest by cosine; rows without a
// vector of a word stay.
func (m *Model) Nearest(ctx context.Context, rows []int32) ([]int32, error) {
	d, known := m.table.Dim, map[int32]int32{}
	space := vectors.NewSpace(&vectors.Set{Name: "the run", Dim: d, Words: m.table.Words[1:], Rows: m.table.Rows[d:]})
	out := slices.Clone(rows)
	for i, r := range rows {
		near, ok := known[r]
		if !ok {
			near = r
			if v := m.Vector(r); r != embedding.OOVRow && m.Word(r) != "" && slices.Max(v) > slices.Min(v) {
				found, err := space.Nearest(ctx, 1, vectors.Term{Word: m.Word(r)})
				if err != nil {
					return nil, err
				}
				if len(found) > 0 {
					near, _ = m.table.Row(found[0].Word)
				}
			}
			known[r] = near
		}
		out[i] = near
	}
	return out, nil
}

// lookup finds words that training has not met in the pretrained vectors of the run. The row of a
// word depends on the order of the texts, its vector does not.
type lookup struct {
	set   *vectors.Set
	index map[string]int32 // rows of set
	found map[string]int32 // rows of the model
}

// lookedUp returns the row of a word that training has not met; embedding.OOVRow for none.
func (m *Model) lookedUp(word []byte) int32 {
	at, ok := m.more.index[string(word)]
	if !ok {
		return embedding.OOVRow
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	row, ok := m.more.found[string(word)]
	if !ok {
		row = int32(len(m.rows) / m.table.Dim)
		m.rows = append(m.rows, m.more.set.Row(int(at))...)
		m.more.found[string(word)] = row
	}
	return row
}

// Pretrained returns the name of the pretrained vectors of a run, such as glove50; "" if it trained
// its vectors or sampled them.
func Pretrained(c *runs.Config) string {
	if c.Counts() {
		return ""
	}
	g := c.General()
	if name := g.Vectors.Vectors; name != "corpus" && name != "random" && !g.TrainVectors {
		return name
	}
	return ""
}

// LookUp lets the model find words that training has not met in v, the pretrained vectors of the
// run, which the model keeps. It changes nothing for the reviews of the run's data, because
// training has met all of their words that have a vector.
func (m *Model) LookUp(v *vectors.Set) error {
	if v.Dim != m.table.Dim {
		return fmt.Errorf("%s has vectors of %d dimensions, the run's have %d", v.Name, v.Dim, m.table.Dim)
	}
	index := make(map[string]int32, len(v.Words))
	for i, w := range v.Words {
		index[w] = int32(i)
	}
	m.more = lookup{v, index, map[string]int32{}}
	return nil
}

// ErrNoLookUp says that a run has no pretrained vectors.
var ErrNoLookUp = errors.New("the run has no pretrained word vectors")

// LookUpInstalled is LookUp with the vectors installed in the data folder dir. A version different
// from the version of the run is an error.
func (m *Model) LookUpInstalled(ctx context.Context, dir string, c *runs.Config, o folder.Options) error {
	name := Pretrained(c)
	if name == "" {
		return ErrNoLookUp
	}
	v, err := folder.Vectors(ctx, dir, name, nil, o)
	if err != nil {
		return err
	}
	if want := c.Digests["vectors"]; v.Digest != want {
		return fmt.Errorf("vectors=%s have changed since the run: their digest is %.12s… instead of %.12s…", name, v.Digest, want)
	}
	return m.LookUp(v)
}

// Found returns the number of different words that LookUp has found so far.
func (m *Model) Found() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.more.found)
}
