package dataset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
)

// Vectors is a table of word vectors.
type Vectors struct {
	Name   string // as in the setting, such as glove50
	Dim    int
	Words  []string
	Rows   []float32 // [len(Words), Dim]
	Digest string    // SHA-256 of what they were read from, decompressed
	Total  int       // words there, of which Words are those that were wanted
}

// Row returns the vector of Words[i].
func (v *Vectors) Row(i int) []float32 { return v.Rows[i*v.Dim : (i+1)*v.Dim] }

// VectorOptions says what of a file of word vectors is wanted.
type VectorOptions struct {
	Member   string   // which file of a zip; "" if there is only one
	Keep     []string // the words to keep, in this order; nil keeps all, in the order of the file
	MaxBytes int64    // decompressed; 0 means 64 GiB
	Shown    string   // what messages call the file; "" is its path
	Progress Progress
}

// Bounds of what a file of word vectors can be.
const (
	minFileDim     = 10
	maxDim         = 1000
	maxLine        = 1 << 20
	maxVectorBytes = 64 << 30
	maxValues      = 1 << 31 // held at once, where all words are kept
)

// ReadVectors reads word vectors of 10 to 1000 dimensions. The file may be text
// in GloVe's format, a word and its values a line; the same behind word2vec's
// header line, which counts the words and the dimensions; or word2vec's binary
// format: that line, then for each word the word, a space and its values as
// little-endian float32. Each may be plain, gzip, zstd, or a member of a zip.
// What it is shows in the content. Everything is checked, whether a word is kept
// or not; errors name the line or the word.
func ReadVectors(ctx context.Context, file string, o VectorOptions) (*Vectors, error) {
	v, _, err := readVectors(ctx, file, o)
	return v, err
}

// readVectors also tells how the file is written.
func readVectors(ctx context.Context, file string, o VectorOptions) (*Vectors, layout, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = maxVectorBytes
	}
	in, name, err := openVectorFile(ctx, file, o)
	if err != nil {
		return nil, layout{}, err
	}
	defer in.Close()
	v, l, err := parseVectors(ctx, name, in, o.Keep)
	if err != nil {
		return nil, l, err
	}
	v.Name = name
	return v, l, nil
}

// parseVectors reads decompressed vectors; name is for messages.
func parseVectors(ctx context.Context, name string, in io.Reader, keep []string) (*Vectors, layout, error) {
	c := &chunker{in: in, name: name, line: 1, free: make(chan []byte, 2), hash: sha256.New(), all: keep == nil}
	if _, err := c.begin(); err != nil {
		return nil, c.layout, err
	}
	if c.all && c.words > maxValues/c.dim {
		return nil, c.layout, c.bad(1, fmt.Errorf("announces %d words of %d dimensions: %w", c.words, c.dim, errTooMany))
	}
	read := readVectorText
	if c.binary {
		read = readVectorBinary
	}
	v, err := read(ctx, c, keep)
	return v, c.layout, err
}
