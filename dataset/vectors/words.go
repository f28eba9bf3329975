package vectors

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// batch holds consecutive words of a file.
type batch struct {
	keep    map[string]int32 // see collection
	row     []float32        // [dim] of the word that is being read
	words   []string
	places  []int     // line or number of each word
	rows    []float32 // of the words to keep
	skipped []string  // words that are not UTF-8
	err     error     // behind the words
}

// add takes a word, whose values are in b.row.
func (b *batch) add(word []byte, place int) error {
	switch {
	case len(word) == 0:
		return errors.New("has no word before its values: " + fixLine)
	case slices.Contains(word, 0):
		return fmt.Errorf("the word %s contains a NUL byte: the file is damaged or not text", stream.Quote(string(word)))
	case !utf8.Valid(word):
		b.skipped = append(b.skipped, string(word))
		return nil
	}
	b.words, b.places = append(b.words, string(word)), append(b.places, place)
	if _, wanted := b.keep[string(word)]; wanted || b.keep == nil {
		b.rows = append(b.rows, b.row...)
	}
	return nil
}

// collection joins batches in the order of the file.
type collection struct {
	file  *file
	keep  map[string]int32 // index of each word to keep; nil keeps all
	seen  map[string]int   // place of each word
	found [][]float32      // rows of the words to keep, if not all are
	set   *Set

	skipped int
	example string // a skipped word
}

func newCollection(f *file, keep []string) *collection {
	c := &collection{file: f, seen: map[string]int{}, set: &Set{Dim: f.dim, Binary: f.binary}}
	if keep != nil {
		c.keep, c.found = dataset.Index(keep), make([][]float32, len(keep))
	}
	return c
}

func (c *collection) batch() *batch { return &batch{keep: c.keep, row: make([]float32, c.file.dim)} }

func (c *collection) add(b *batch) error {
	rows, dim := b.rows, c.file.dim
	for i, word := range b.words {
		if first, twice := c.seen[word]; twice {
			bad := c.file.bad(b.places[i], nil)
			bad.err = fmt.Errorf("word %s is repeated, first at %s %d: remove one of them", stream.Quote(word), bad.unit, first)
			return bad
		}
		c.seen[word] = b.places[i]
		id, wanted := c.keep[word]
		switch {
		case c.keep == nil:
			c.set.Words = append(c.set.Words, word)
		case wanted:
			c.found[id], rows = rows[:dim:dim], rows[dim:]
		}
	}
	if c.keep == nil {
		c.set.Rows = append(c.set.Rows, rows...)
	}
	if len(b.skipped) > 0 {
		c.skipped += len(b.skipped)
		c.example = b.skipped[0]
	}
	if len(c.seen) > c.file.maxWords(c.keep == nil) {
		return c.file.bad(len(c.seen), fmt.Errorf("there are %w", errTooMany))
	}
	return b.err
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
