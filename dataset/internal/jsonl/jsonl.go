// Package jsonl writes and reads the files of a user's own data in the data folder: lines
// of JSON, compressed by gzip. The first line is a header.
package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"imdbexp/dataset/internal/stream"
	"imdbexp/internal/fsx"
)

// Write writes a file of own data: the header and the lines that write encodes, as JSON, compressed
// by gzip.
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
	r := &Reader{in: bufio.NewScanner(in), limit: limit}
	r.in.Buffer(nil, int(limit))
	r.in.Split(func(b []byte, end bool) (int, []byte, error) {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return i + 1, b[:i], nil
		}
		if end && len(b) > 0 {
			return 0, nil, io.ErrUnexpectedEOF
		}
		return 0, nil, nil
	})
	return r
}

// Reader decodes lines of JSON, none longer than a limit.
type Reader struct {
	in    *bufio.Scanner
	limit int64
	Line  int // number of the line read last
}

// Decode decodes the next line; io.EOF follows the last.
func (l *Reader) Decode(into any) error {
	l.Line++
	if l.in.Scan() {
		return json.Unmarshal(l.in.Bytes(), into)
	}
	switch err := l.in.Err(); err {
	case nil:
		return io.EOF
	case bufio.ErrTooLong:
		return stream.TooLong(l.limit)
	default:
		return err
	}
}

// Damaged explains an error in a line of own data.
func Damaged(shown string, line int, err error) error {
	limit := new(stream.LimitError)
	switch {
	case errors.As(err, &limit), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%s: line %d is damaged or cut off (%w): add the data again", shown, line, err)
}

// Newer is the error for own data of a later version of this program.
func Newer(shown string, format, known int) error {
	return fmt.Errorf("%s: has format %d, and this program knows %d: take a newer one, or add the data again", shown, format, known)
}
