// Package vectors reads word vectors (GloVe, fastText and word2vec files, text or binary),
// makes them where none are given, finds neighbors among them and writes them.
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
	Digest string    // SHA-256 of what they were read from, decompressed
	Total  int       // words there, of which Words are those that were wanted
	Binary bool      // whether they were read from word2vec's binary format
}

// Row returns the vector of Words[i].
func (v *Set) Row(i int) []float32 { return v.Rows[i*v.Dim : (i+1)*v.Dim] }

// Options says what of a file of word vectors is wanted.
type Options struct {
	Member   string   // which file of a zip; "" if there is only one
	Keep     []string // the words to keep, in this order; nil keeps all, in the order of the file
	MaxBytes int64    // decompressed; 0 means 64 GiB
	Shown    string   // what messages call the file; "" is its path
	Progress dataset.Progress
}

// Bounds of what a file of word vectors can be.
const (
	minFileDim     = 10
	MaxDim         = 1000
	maxLine        = 1 << 20
	maxVectorBytes = 64 << 30
	maxValues      = 1 << 31 // held at once, where all words are kept
	maxWords       = 1 << 25 // of a file, kept or not: all are remembered, since none may be there twice
)

// Read reads word vectors of 10 to 1000 dimensions. The file may be text
// in GloVe's format, a word and its values a line; the same behind word2vec's
// header line, which counts the words and the dimensions; or word2vec's binary
// format: that line, then for each word the word, a space and its values as
// little-endian float32. Each may be plain, gzip, zstd, or a member of a zip.
// What it is shows in the content. Everything is checked, whether a word is kept
// or not; errors name the line or the word.
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

// parse reads decompressed vectors; name is for messages.
func parse(ctx context.Context, name string, in io.Reader, keep []string) (*Set, error) {
	c := &chunker{in: in, name: name, line: 1, free: make(chan []byte, 2), hash: sha256.New(), all: keep == nil}
	if _, err := c.begin(); err != nil {
		return nil, err
	}
	if c.words > c.most() {
		return nil, c.bad(1, fmt.Errorf("announces %d words of %d dimensions: %w", c.words, c.dim, errTooMany))
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
