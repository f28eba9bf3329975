package vectors

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// batch holds consecutive words of a file.
type batch struct {
	keep    map[string]int32 // see collection
	row     []float32        // [dim] of the word that is being read
	words   []string
	rows    []float32 // of the words to keep
	skipped []string  // words that are not UTF-8
	err     error     // behind the words
}

// add takes a word, whose values are in b.row.
func (b *batch) add(word []byte) error {
	switch {
	case len(word) == 0:
		return errors.New("has no word before its values: " + fixLine)
	case slices.Contains(word, 0):
		return fmt.Errorf("the word %s contains a NUL byte: the file is damaged or not text", stream.Quote(string(word)))
	case !utf8.Valid(word):
		b.skipped = append(b.skipped, string(word))
		return nil
	}
	b.words = append(b.words, string(word))
	if _, wanted := b.keep[string(word)]; wanted || b.keep == nil {
		b.rows = append(b.rows, b.row...)
	}
	return nil
}

// collection joins batches in the order of the file. Of a word that is repeated it keeps the
// first vector.
type collection struct {
	file  *file
	keep  map[string]int32 // index of each word to keep; nil keeps all
	seen  map[string]bool
	found [][]float32 // rows of the words to keep, if not all are
	set   *Set

	skipped, repeated []string
}

func newCollection(f *file, keep []string) *collection {
	c := &collection{file: f, seen: map[string]bool{}, set: &Set{Dim: f.dim}}
	if keep != nil {
		c.keep, c.found = dataset.Index(keep), make([][]float32, len(keep))
	}
	return c
}

func (c *collection) batch() *batch { return &batch{keep: c.keep, row: make([]float32, c.file.dim)} }

func (c *collection) add(b *batch) error {
	rows, dim := b.rows, c.file.dim
	for _, word := range b.words {
		id, wanted := c.keep[word]
		wanted = wanted || c.keep == nil
		var row []float32
		if wanted {
			row, rows = rows[:dim:dim], rows[dim:]
		}
		switch {
		case c.seen[word]:
			c.repeated = append(c.repeated, word)
		case c.keep == nil:
			c.set.Words, c.set.Rows = append(c.set.Words, word), append(c.set.Rows, row...)
		case wanted:
			c.found[id] = row
		}
		c.seen[word] = true
	}
	c.skipped = append(c.skipped, b.skipped...)
	if len(c.seen) > c.file.maxWords(c.keep == nil) {
		return c.file.bad(len(c.seen), fmt.Errorf("there are %w", errTooMany))
	}
	return b.err
}

// omitted describes the words that are not in the table, "" for none.
func (c *collection) omitted() string {
	var what []string
	for _, w := range []struct {
		words []string
		why   string
	}{{c.skipped, "are not UTF-8"}, {c.repeated, "repeat an earlier word"}} {
		if len(w.words) > 0 {
			what = append(what, fmt.Sprintf("%d %s, such as %s", len(w.words), w.why, stream.Quote(w.words[0])))
		}
	}
	return strings.Join(what, "; ")
}

// finish returns the table.
func (c *collection) finish(keep []string) *Set {
	for id, row := range c.found {
		if row != nil {
			c.set.Words = append(c.set.Words, keep[id])
			c.set.Rows = append(c.set.Rows, row...)
		}
	}
	c.set.Total = len(c.seen)
	return c.set
}
