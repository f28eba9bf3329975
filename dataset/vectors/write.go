package vectors

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteWord2Vec writes vectors as word2vec text, which gensim, fastText and others read: a
// line with the numbers of words and dimensions, then one line per word with its values, in
// the order of the table. The values are the shortest decimals that are read as the same
// float32. Words with spaces, which the format cannot have, are omitted.
func WriteWord2Vec(ctx context.Context, w io.Writer, v *Set) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "%d %d\n", len(v.Words)-len(v.Spaced()), v.Dim)
	var line []byte
	for i, word := range v.Words {
		if hasSpace(word) {
			continue
		}
		if i&0xfff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line = append(line[:0], word...)
		for _, x := range v.Row(i) {
			line = strconv.AppendFloat(append(line, ' '), float64(x), 'g', -1, 32)
		}
		if _, err := b.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return b.Flush()
}

// Spaced returns the words with spaces.
func (v *Set) Spaced() (words []string) {
	for _, word := range v.Words {
		if hasSpace(word) {
			words = append(words, word)
		}
	}
	return words
}

// hasSpace reports whether a word cannot be a field of a line.
func hasSpace(word string) bool { return word == "" || strings.ContainsAny(word, " \t\r\n\v\f") }
