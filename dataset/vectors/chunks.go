package vectors

import (
	"bytes"
	"context"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync/atomic"

	"imdbexp/dataset/internal/stream"
)

// Lines of vectors go to the workers in chunks of about this size.
const chunkBytes = 1 << 20

// chunk is whole lines; line is the number of the first.
type chunk struct {
	text []byte
	line int
}

// placeError is an error at a line of a text file, or at a word of a binary file.
type placeError struct {
	file, unit string
	n          int
	err        error
}

func (e *placeError) Error() string {
	return fmt.Sprintf("%s: %s %d: %v", e.file, e.unit, e.n, e.err)
}
func (e *placeError) Unwrap() error { return e.err }

// chunker splits a stream into chunks of whole lines and computes its digest.
type chunker struct {
	in   io.Reader
	name string
	line int    // of the next chunk
	head []byte // first lines, which are read first
	layout
	hash hash.Hash
	all  bool // all vectors are kept, so their number is limited

	free chan []byte // buffers of parsed chunks, to be used again
	stop atomic.Bool // a parser found an error: the rest is not needed
}

// bad returns an error at a line.
func (c *chunker) bad(line int, err error) *placeError {
	return &placeError{c.name, "line", line, err}
}

// begin reads the first lines and finds the layout. It returns the number of words in a
// header line, or −1.
func (c *chunker) begin() (header int, err error) {
	if c.head, err = stream.ReadHead(c.in, HeadBytes); err != nil {
		return -1, stream.Damaged(c.name, "its beginning", err)
	}
	var line int
	if c.layout, line, err = layoutOf(c.head); err != nil {
		return -1, c.bad(line, err)
	}
	if !c.plausible(c.head) {
		return -1, c.bad(1, errNotVectors)
	}
	if c.words >= 0 {
		c.line = 2
	}
	return c.words, nil
}

// whole returns an error unless the number of words is the one in the header.
func (c *chunker) whole(words int) error {
	if c.words < 0 || c.words == words {
		return nil
	}
	remedy := "the file is incomplete, get it again"
	if words > c.words {
		remedy = "correct line 1, or get the file again"
	}
	return fmt.Errorf("%s: line 1 declares %d words, but there are %d: %s", c.name, c.words, words, remedy)
}

func (c *chunker) run(ctx context.Context, queue chan<- chunk) error {
	defer close(queue)
	c.hash.Write(c.head)
	rest := c.head[min(c.skip, len(c.head)):]
	for {
		if c.stop.Load() {
			return nil
		}
		b := append(c.buffer(), rest...)
		old := len(b)
		b = slices.Grow(b, chunkBytes)[:old+chunkBytes]
		n, err := stream.ReadFull(c.in, b[old:])
		b = b[:old+n]
		c.hash.Write(b[old:])
		end := err == io.EOF
		if err != nil && !end {
			return stream.Damaged(c.name, fmt.Sprintf("line %d", c.line), err)
		}
		cut := len(b)
		if !end {
			cut = bytes.LastIndexByte(b, '\n') + 1
		}
		if cut == 0 && len(b) > maxLine {
			return c.bad(c.line, fmt.Errorf("is longer than %d bytes: not word vectors", maxLine))
		}
		rest = bytes.Clone(b[cut:])
		select {
		case queue <- chunk{b[:cut], c.line}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		c.line += bytes.Count(b[:cut], []byte("\n"))
		if c.line > c.maxWords() {
			return c.bad(c.line, fmt.Errorf("there are %w", errTooMany))
		}
		if end {
			return nil
		}
	}
}

// maxWords returns the maximum number of words of the file.
func (c *chunker) maxWords() int {
	if c.all {
		return min(maxWords, maxValues/c.dim)
	}
	return maxWords
}

// buffer returns a buffer for a chunk.
func (c *chunker) buffer() []byte {
	select {
	case b := <-c.free:
		return b[:0]
	default:
		return nil
	}
}

// release returns the buffer of a chunk.
func (c *chunker) release(b []byte) {
	select {
	case c.free <- b:
	default:
	}
}
