package vectors

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"imdbexp/dataset/internal/stream"
)

const maxBinaryWord = 1 << 12 // bytes of the longest word of a binary file

// errRecord marks errors in the content, as opposed to errors of reading.
var errRecord = errors.New("the file is damaged, or line 1 declares the wrong dimensions")

// readBinary reads word2vec's binary format: each word, a space and dim little-endian
// float32. word2vec writes a line end after each, other programs do not.
func (f *file) readBinary(all *collection) error {
	in := bufio.NewReaderSize(f.rest(), 1<<17)
	for n := 1; n <= f.words; n++ {
		switch err := all.record(in, n); {
		case err == io.EOF:
			return f.whole(n - 1)
		case errors.Is(err, errRecord):
			return f.bad(n, err)
		case err != nil:
			return stream.Damaged(f.name, fmt.Sprintf("word %d", n-1), err)
		}
	}
	switch rest, err := in.Peek(2); { // at most a line end
	case err == nil, err == io.EOF && len(rest) == 1 && rest[0] != '\n':
		return fmt.Errorf("%s: there is more after the %d words that line 1 declares: the file is damaged", f.name, f.words)
	case err != io.EOF:
		return stream.Damaged(f.name, fmt.Sprintf("word %d", f.words), err)
	}
	return nil
}

// record reads word n and its values. It returns io.EOF at the end of the file.
func (c *collection) record(in *bufio.Reader, n int) error {
	text, err := in.ReadSlice(' ')
	if n > 1 {
		text = bytes.TrimPrefix(text, []byte("\n")) // the end of the word before
	}
	switch {
	case err == bufio.ErrBufferFull || len(text) > maxBinaryWord:
		return fmt.Errorf("is longer than %d bytes: %w", maxBinaryWord, errRecord)
	case err != nil:
		return err
	}
	word := bytes.Clone(text[:len(text)-1])
	if bytes.ContainsAny(word, "\n\r\t") {
		return fmt.Errorf("the word %s contains a line end or a tab: %w", stream.Quote(string(word)), errRecord)
	}
	values, err := in.Peek(4 * len(c.row))
	if err != nil {
		return err
	}
	for d := range c.row {
		x := math.Float32frombits(binary.LittleEndian.Uint32(values[4*d:]))
		if x-x != 0 {
			return fmt.Errorf("value %d of %s, %v, is not finite: %w", d+1, stream.Quote(string(word)), x, errRecord)
		}
		c.row[d] = x
	}
	if err := c.add(word); err != nil {
		return fmt.Errorf("%w: %w", err, errRecord)
	}
	_, err = in.Discard(len(values))
	return err
}
