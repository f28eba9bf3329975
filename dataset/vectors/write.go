package vectors

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
)

// Written says what WriteWord2Vec wrote.
type Written struct {
	Words   int
	LeftOut []string // words with spaces, which the format cannot hold
}

// WriteWord2Vec writes vectors as word2vec text, which gensim, fastText and
// others read: a line with the numbers of words and of dimensions, then a word
// and its values a line, in the order of the table. The values are the shortest
// decimals that give the same float32 when they are read.
func WriteWord2Vec(ctx context.Context, w io.Writer, v *Set) (Written, error) {
	var out Written
	for _, word := range v.Words {
		if unspeakable(word) {
			out.LeftOut = append(out.LeftOut, word)
		}
	}
	out.Words = len(v.Words) - len(out.LeftOut)
	b := bufio.NewWriterSize(w, 1<<16)
	line := strconv.AppendInt(nil, int64(out.Words), 10)
	line = append(line, ' ')
	line = strconv.AppendInt(line, int64(v.Dim), 10)
	line = append(line, '\n')
	if _, err := b.Write(line); err != nil {
		return out, err
	}
	for i, word := range v.Words {
		if unspeakable(word) {
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

// unspeakable reports whether a word cannot stand in a line of fields.
func unspeakable(word string) bool { return word == "" || strings.ContainsAny(word, " \t\r\n\v\f") }
