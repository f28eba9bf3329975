// Package jsonl writes and reads the form of a user's own data in the data folder: lines
// of JSON, compressed by gzip, the first a header.
package jsonl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"imdbexp/dataset/internal/stream"
	"imdbexp/internal/fsx"
)

// Write writes a file of own data: lines of JSON, compressed by gzip, the header
// and those that write encodes.
func Write(to string, header any, write func(*json.Encoder) error) error {
	return fsx.WriteFile(to, func(out io.Writer) error {
		z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
		if err != nil {
			return err
		}
		e := json.NewEncoder(z)
		e.SetEscapeHTML(false)
		if err := e.Encode(header); err != nil {
			return err
		}
		if err := write(e); err != nil {
			return err
		}
		return z.Close()
	})
}

// NewReader reads lines of up to limit bytes.
func NewReader(in io.Reader, limit int64) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 1<<16), limit: limit}
}

// Reader decodes lines of JSON, none longer than a limit.
type Reader struct {
	in    *bufio.Reader
	limit int64
	Line  int // number of the line read last
	buf   []byte
}

// Decode decodes the next line; io.EOF follows the last.
func (l *Reader) Decode(into any) error {
	l.buf = l.buf[:0]
	l.Line++
	for {
		part, err := l.in.ReadSlice('\n')
		l.buf = append(l.buf, part...)
		switch {
		case int64(len(l.buf)) > l.limit:
			return stream.TooLong(l.limit)
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(l.buf) == 0:
			return io.EOF
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		return json.Unmarshal(l.buf, into)
	}
}

// Damaged explains what is wrong with a line of own data.
func Damaged(shown string, line int, err error) error {
	limit := new(stream.LimitError)
	switch {
	case errors.As(err, &limit), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%s: line %d is damaged or cut off (%w): add the data again", shown, line, err)
}

// Newer says that own data come from a later version of this program.
func Newer(shown string, format, known int) error {
	return fmt.Errorf("%s: has format %d, and this program knows %d: take a newer one, or add the data again", shown, format, known)
}
