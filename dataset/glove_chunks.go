package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
)

// Lines of vectors go to the workers in chunks of about this size.
const chunkBytes = 1 << 20

// chunk is whole lines; line is the number of the first.
type chunk struct {
	text []byte
	line int
}

// lineError is an error with its place.
type lineError struct {
	file string
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("%s: line %d: %v", e.file, e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

// chunker cuts a stream into chunks of whole lines and takes its digest.
type chunker struct {
	in   io.Reader
	name string
	line int // of the next chunk
	dim  int
	head []byte // first lines, read ahead of all others
	sum  [sha256.Size]byte

	free chan []byte // chunks that are parsed, to be filled again
	stop atomic.Bool // a parser met an error: what comes later does not matter
}

// begin reads the first lines to learn the dimension. It returns the number of
// words a header line announces, or −1.
func (c *chunker) begin() (header int, err error) {
	c.head = make([]byte, 2*maxLine)
	n, err := readFull(c.in, c.head)
	c.head = c.head[:n]
	if err != nil && err != io.EOF {
		return -1, damaged(c.name, "its beginning", err)
	}
	first, rest, _ := bytes.Cut(c.head, []byte("\n"))
	header = -1
	fields := bytes.Fields(first)
	if len(fields) == 2 {
		words, err1 := strconv.Atoi(string(fields[0]))
		dim, err2 := strconv.Atoi(string(fields[1]))
		if err1 == nil && err2 == nil && dim > 1 {
			header = words
			first, _, _ = bytes.Cut(rest, []byte("\n"))
			fields = bytes.Fields(first)
			if len(fields) != dim+1 {
				return -1, &lineError{c.name, 2, fmt.Errorf("has %d values, but line 1 announces %d", len(fields)-1, dim)}
			}
			c.line = 2
		}
	}
	c.dim = len(fields) - 1
	if c.dim < 1 || c.dim > maxDim {
		return -1, &lineError{c.name, c.line, fmt.Errorf("not word vectors: a line is a word and 1 to %d numbers", maxDim)}
	}
	return header, nil
}

func (c *chunker) run(ctx context.Context, queue chan<- chunk) error {
	defer close(queue)
	hash := sha256.New()
	hash.Write(c.head)
	rest := c.head
	if c.line == 2 {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	for {
		if c.stop.Load() {
			return nil
		}
		b := append(c.buffer(), rest...)
		old := len(b)
		b = slices.Grow(b, chunkBytes)[:old+chunkBytes]
		n, err := readFull(c.in, b[old:])
		b = b[:old+n]
		hash.Write(b[old:])
		end := err == io.EOF
		if err != nil && !end {
			return damaged(c.name, fmt.Sprintf("line %d", c.line), err)
		}
		cut := len(b)
		if !end {
			cut = bytes.LastIndexByte(b, '\n') + 1
		}
		if cut == 0 && len(b) > maxLine {
			return &lineError{c.name, c.line, fmt.Errorf("is longer than %d bytes: not word vectors", maxLine)}
		}
		rest = bytes.Clone(b[cut:])
		select {
		case queue <- chunk{b[:cut], c.line}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		c.line += bytes.Count(b[:cut], []byte("\n"))
		if end {
			hash.Sum(c.sum[:0])
			return nil
		}
	}
}

// buffer returns room for a chunk.
func (c *chunker) buffer() []byte {
	select {
	case b := <-c.free:
		return b[:0]
	default:
		return nil
	}
}

// release takes back the room of a chunk.
func (c *chunker) release(b []byte) {
	select {
	case c.free <- b:
	default:
	}
}

// readFull fills b. Unlike io.ReadFull it returns io.EOF at the end of the
// stream even after some bytes, so that the io.ErrUnexpectedEOF of a truncated
// archive is not taken for it.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}
