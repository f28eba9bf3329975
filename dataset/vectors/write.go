package vectors

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
)

// Written is the result of WriteWord2Vec.
type Written struct {
	Words   int
	Omitted []string // words with spaces, which the format cannot have
}

// WriteWord2Vec writes vectors as word2vec text, which gensim, fastText and others read: a
// line with the numbers of words and dimensions, then one line per word with its values, in
// the order of the table. The values are the shortest decimals that are read as the same
// float32.
func WriteWord2Vec(ctx context.Context, w io.Writer, v *Set) (Written, error) {
	var out Written
	for _, word := range v.Words {
		if hasSpace(word) {
			out.Omitted = append(out.Omitted, word)
		}
	}
	out.Words = len(v.Words) - len(out.Omitted)
	b := bufio.NewWriterSize(w, 1<<16)
	line := strconv.AppendInt(nil, int64(out.Words), 10)
	line = append(line, ' ')
	line = strconv.AppendInt(line, int64(v.Dim), 10)
	line = append(line, '\n')
	if _, err := b.Write(line); err != nil {
		return out, err
	}
	for i, word := range v.Words {
		if hasSpace(word) {
			continue
		}
		if i&0xfff == 0 && ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		line = append(line[:0], word...)
		for _, x := range v.Row(i) {
			line = append(line, ' ')
			line = strconv.AppendFloat(line, float64(x), 'g', -1, 32)
		}
		line = append(line, '\n')
		if _, err := b.Write(line); err != nil {
			return out, err
		}
	}
	return out, b.Flush()
}

// hasSpace reports whether a word cannot be a field of a line.
func hasSpace(word string) bool { return word == "" || strings.ContainsAny(word, " \t\r\n\v\f") }
