package vectors

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"imdbexp/dataset/internal/stream"
)

// maxBinaryWord is the longest word of a binary file in bytes.
const maxBinaryWord = 1 << 12

// readBinary reads word2vec's binary format: each word, a space and dim little-endian
// float32. word2vec writes a line end after each, other programs do not. Another goroutine
// computes the digest.
func readBinary(ctx context.Context, c *chunker, keep []string) (*Set, error) {
	ahead := stream.ReadAhead(io.TeeReader(io.MultiReader(bytes.NewReader(c.head), c.in), c.hash), io.NopCloser(nil))
	defer ahead.Close()
	r := &binaryReader{
		in:       bufio.NewReaderSize(ahead, 1<<17),
		metWords: metWords{dim: c.dim, index: keptIndex(keep)},
	}
	bad := func(n int, err error) *placeError { return &placeError{c.name, "word", n, err} }
	if _, err := r.in.Discard(c.skip); err != nil {
		return nil, err // not reached: the header is in memory
	}
	for n := 1; n <= c.words; n++ {
		switch err := r.next(n); {
		case err == io.EOF:
			return nil, c.whole(n - 1)
		case errors.Is(err, errRecord):
			return nil, bad(n, err)
		case err != nil:
			return nil, stream.Damaged(c.name, fmt.Sprintf("word %d", n-1), err)
		}
	}
	if err := r.end(); errors.Is(err, errRecord) {
		return nil, fmt.Errorf("%s: there is more after the %d words that line 1 declares: the file is damaged", c.name, c.words)
	} else if err != nil {
		return nil, stream.Damaged(c.name, fmt.Sprintf("word %d", c.words), err)
	}
	v, err := join([]*metWords{&r.metWords}, keep, bad)
	if err != nil {
		return nil, err
	}
	v.Digest = hex.EncodeToString(c.hash.Sum(nil))
	return v, nil
}

// binaryReader reads one word after another.
type binaryReader struct {
	metWords
	in   *bufio.Reader
	word []byte
}

// errRecord marks errors in the content, as opposed to errors of reading.
var errRecord = errors.New("the file is damaged, or line 1 declares the wrong dimensions")

// next reads word n and its values. It returns io.EOF at the end of the file.
func (r *binaryReader) next(n int) error {
	word, err := r.in.ReadSlice(' ')
	if n > 1 {
		word = bytes.TrimPrefix(word, []byte("\n")) // the end of the word before
	}
	switch {
	case err == io.EOF:
		return io.EOF
	case err == bufio.ErrBufferFull || len(word) > maxBinaryWord:
		return fmt.Errorf("is longer than %d bytes: %w", maxBinaryWord, errRecord)
	case err != nil:
		return err
	}
	word = word[:len(word)-1]
	if err := goodWord(word); err != nil {
		return fmt.Errorf("%w: %w", err, errRecord)
	}
	if bytes.ContainsAny(word, "\n\r\t") {
		return fmt.Errorf("the word %s contains a line end or a tab: %w", stream.Quote(string(word)), errRecord)
	}
	r.word = append(r.word[:0], word...)
	values, err := r.in.Peek(4 * r.dim)
	if err != nil {
		return err
	}
	if d := notFinite(values); d >= 0 {
		x := math.Float32frombits(binary.LittleEndian.Uint32(values[4*d:]))
		return fmt.Errorf("value %d of %s, %v, is not finite: %w", d+1, stream.Quote(string(r.word)), x, errRecord)
	}
	row := r.add(r.word, n)
	for d := range row {
		row[d] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*d:]))
	}
	_, err = r.in.Discard(len(values))
	return err
}

// notFinite returns the index of the first infinite value or NaN, or −1.
func notFinite(values []byte) int {
	const exponent = 0xff << 23
	for i := 0; i+4 <= len(values); i += 4 {
		if binary.LittleEndian.Uint32(values[i:])&exponent == exponent {
			return i / 4
		}
	}
	return -1
}

// end checks that at most a line end follows.
func (r *binaryReader) end() error {
	b, err := r.in.Peek(2)
	switch {
	case err == nil, err == io.EOF && len(b) == 1 && b[0] != '\n':
		return errRecord
	case err != io.EOF:
		return err
	}
	return nil
}
