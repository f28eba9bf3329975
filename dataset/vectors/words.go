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

// collection holds the words of a file. Of a word that is repeated it keeps the first vector.
type collection struct {
	file  *file
	row   []float32        // [dim] of the word that is being read
	keep  map[string]int32 // index of each word to keep; nil keeps all
	seen  map[string]bool
	found [][]float32 // rows of the words to keep, if not all are
	set   *Set

	skipped, repeated []string // not UTF-8; there before
}

func newCollection(f *file, keep []string) *collection {
	c := &collection{file: f, row: make([]float32, f.dim), seen: map[string]bool{}, set: &Set{Dim: f.dim}}
	if keep != nil {
		c.keep, c.found = dataset.Index(keep), make([][]float32, len(keep))
	}
	return c
}

// add takes a word, whose values are in c.row.
func (c *collection) add(text []byte) error {
	switch {
	case len(text) == 0:
		return errors.New("has no word before its values: " + fixLine)
	case slices.Contains(text, 0):
		return fmt.Errorf("the word %s contains a NUL byte: the file is damaged or not text", stream.Quote(string(text)))
	case !utf8.Valid(text):
		c.skipped = append(c.skipped, string(text))
		return nil
	case c.seen[string(text)]:
		c.repeated = append(c.repeated, string(text))
		return nil
	case len(c.seen) == c.file.maxWords(c.keep == nil):
		return fmt.Errorf("there are %w", errTooMany)
	}
	word := string(text)
	c.seen[word] = true
	if c.keep == nil {
		c.set.Words, c.set.Rows = append(c.set.Words, word), append(c.set.Rows, c.row...)
	} else if id, wanted := c.keep[word]; wanted {
		c.found[id] = slices.Clone(c.row)
	}
	return nil
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
