// Package vectors reads word vectors (GloVe, fastText and word2vec files, text or binary),
// makes random and trained ones, finds nearest neighbors and writes vectors.
package vectors

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"

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
	Binary bool      // whether they were read from word2vec's binary format
}

// Row returns the vector of Words[i].
func (v *Set) Row(i int) []float32 { return v.Rows[i*v.Dim : (i+1)*v.Dim] }

// Options are what to read of a file of word vectors.
type Options struct {
	Member   string   // which file of a zip; "" if there is only one
	Keep     []string // the words to keep, in this order; nil keeps all, in the order of the file
	MaxBytes int64    // decompressed; 0 means 64 GiB
	Shown    string   // name of the file in messages; "" is its path
	Progress dataset.Progress
}

// Limits of a file of word vectors.
const (
	minFileDim     = 10
	MaxDim         = 1000
	maxLine        = 1 << 20
	maxVectorBytes = 64 << 30
	maxValues      = 1 << 31 // in memory, if all words are kept
	maxWords       = 1 << 25 // of a file, kept or not: all are remembered to find duplicates
)

// Read reads word vectors of 10 to 1000 dimensions in one of three formats, which it
// recognises by the content: GloVe's text, a word and its values per line; word2vec's text,
// the same after a header line with the numbers of words and dimensions; word2vec's binary
// format, that header line, then each word, a space and its values as little-endian
// float32. The file may be plain, gzip, zstd, or a member of a zip. Every line is checked,
// also those of words that are not kept. Errors name the line or the word.
func Read(ctx context.Context, file string, o Options) (*Set, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = maxVectorBytes
	}
	in, name, err := stream.OpenInside(ctx, file, o.Shown, o.Member, o.MaxBytes, o.Progress)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	v, err := parse(ctx, name, in, o.Keep)
	if err != nil {
		return nil, err
	}
	v.Name = name
	return v, nil
}

// parse reads decompressed vectors. Errors begin with name.
func parse(ctx context.Context, name string, in io.Reader, keep []string) (*Set, error) {
	c := &chunker{in: in, name: name, line: 1, free: make(chan []byte, 2), hash: sha256.New(), all: keep == nil}
	if _, err := c.begin(); err != nil {
		return nil, err
	}
	if c.words > c.maxWords() {
		return nil, c.bad(1, fmt.Errorf("declares %d words of %d dimensions: %w", c.words, c.dim, errTooMany))
	}
	read := readText
	if c.binary {
		read = readBinary
	}
	v, err := read(ctx, c, keep)
	if err == nil {
		v.Binary = c.binary
	}
	return v, err
}
