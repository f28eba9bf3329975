// Package vectors reads word vectors (GloVe, fastText and word2vec files, text or binary),
// makes random and trained ones, finds nearest neighbors and writes vectors.
package vectors

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// Set is a table of word vectors.
type Set struct {
	Name   string // as in the setting, such as glove50
	Dim    int
	Words  []string
	Rows   []float32 // [len(Words), Dim]
	Digest string    // SHA-256 of the decompressed file
	Total  int       // words in the file; Words are those to keep
}

// Row returns the vector of Words[i].
func (v *Set) Row(i int) []float32 { return v.Rows[i*v.Dim : (i+1)*v.Dim] }

// Options are what to read of a file of word vectors.
type Options struct {
	Member   string   // which file of a zip; "" if there is only one
	Keep     []string // the words to keep, in this order; nil keeps all, in the order of the file
	Shown    string   // name of the file in messages; "" is its path
	Progress dataset.Progress
	Warn     func(error) // may be nil
}

// Limits of a file of word vectors.
const (
	minFileDim = 10
	MaxDim     = 1000
	maxLine    = 1 << 20
	MaxBytes   = 64 << 30
	maxValues  = 1 << 31 // in memory, if all words are kept
	maxWords   = 1 << 25 // of a file, kept or not: all are remembered to find duplicates
)

// Read reads word vectors of 10 to 1000 dimensions in one of three formats, which it
// recognises by the content: GloVe's text, a word and its values per line; word2vec's text,
// the same after a header line with the numbers of words and dimensions; word2vec's binary
// format, that header line, then each word, a space and its values as little-endian
// float32. The file may be plain, gzip, zstd, or a member of a zip. Every line is checked, even if
// its word is not kept. Errors name the line or the word.
func Read(ctx context.Context, path string, o Options) (*Set, error) {
	in, name, err := stream.OpenInside(ctx, path, o.Shown, o.Member, MaxBytes, o.Progress)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parse(name, in, o)
}

// parse reads decompressed vectors. Errors begin with name.
func parse(name string, in io.Reader, o Options) (*Set, error) {
	f := &file{name: name, in: in, hash: sha256.New()}
	if err := f.begin(); err != nil {
		return nil, err
	}
	if f.words > f.maxWords(o.Keep == nil) {
		return nil, fmt.Errorf("%s: line 1: declares %d words of %d dimensions: %w", name, f.words, f.dim, errTooMany)
	}
	all, read := newCollection(f, o.Keep), f.readText
	if f.binary {
		read = f.readBinary
	}
	if err := read(all); err != nil {
		return nil, err
	}
	v := all.finish(o.Keep)
	omitted, n := all.omitted(), len(all.skipped)+len(all.repeated)
	switch {
	case n > v.Total:
		return nil, fmt.Errorf("%s: of %d words, %s: the file is damaged or has another encoding", name, n+v.Total, omitted)
	case n > 0 && o.Warn != nil:
		o.Warn(fmt.Errorf("%s: words are skipped: %s", name, omitted))
	}
	v.Name, v.Digest = name, hex.EncodeToString(f.hash.Sum(nil))
	return v, f.whole(v.Total + n)
}

// file is a file of vectors that is being read.
type file struct {
	name string
	in   io.Reader
	head []byte // the first lines, already read from in
	hash hash.Hash
	layout
}

// begin reads the first lines and finds the layout.
func (f *file) begin() (err error) {
	if f.head, err = stream.ReadHead(f.in, HeadBytes); err != nil {
		return stream.Damaged(f.name, "its beginning", err)
	}
	var line int
	if f.layout, line, err = layoutOf(f.head); err == nil && !f.plausible(f.head) {
		line, err = 1, errNotVectors
	}
	if err != nil {
		return &placeError{f.name, "line", line, err}
	}
	return nil
}

// maxWords returns the maximum number of words of a file; all is set if all words are kept.
func (f *file) maxWords(all bool) int {
	if all {
		return min(maxWords, maxValues/f.dim)
	}
	return maxWords
}

// whole returns an error unless the number of words is the one in the header.
func (f *file) whole(words int) error {
	if f.words < 0 || f.words == words {
		return nil
	}
	remedy := "the file is incomplete, get it again"
	if words > f.words {
		remedy = "correct line 1, or get the file again"
	}
	return fmt.Errorf("%s: line 1 declares %d words, but there are %d: %s", f.name, f.words, words, remedy)
}

// bad returns an error at a line, or at a word of a binary file.
func (f *file) bad(n int, err error) *placeError {
	unit := "line"
	if f.binary {
		unit = "word"
	}
	return &placeError{f.name, unit, n, err}
}

// placeError is an error at a line, or at a word of a binary file.
type placeError struct {
	file, unit string
	n          int
	err        error
}

func (e *placeError) Error() string {
	return fmt.Sprintf("%s: %s %d: %v", e.file, e.unit, e.n, e.err)
}
func (e *placeError) Unwrap() error { return e.err }

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
