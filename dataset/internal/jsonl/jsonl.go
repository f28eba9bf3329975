// Package jsonl writes and reads the files of a user's own data in the data folder: lines
// of JSON, compressed by gzip. The first line is a header.
package jsonl

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"

	"imdbexp/dataset/internal/stream"
	"imdbexp/internal/fsx"
)

// Write writes a file of own data: the header and the lines that write encodes.
func Write(to string, header any, write func(*json.Encoder) error) error {
	return fsx.WriteFile(to, func(out io.Writer) error {
		z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
		if err != nil {
			return err
		}
		e := json.NewEncoder(z)
		e.SetEscapeHTML(false)
		if err = e.Encode(header); err == nil {
			err = write(e)
		}
		return cmp.Or(err, z.Close())
	})
}

// WriteAll writes a file with a line for each value of the lists.
func WriteAll[T any](to string, header any, lists ...[]T) error {
	return Write(to, header, func(e *json.Encoder) (err error) {
		for _, x := range slices.Concat(lists...) {
			err = cmp.Or(err, e.Encode(x))
		}
		return err
	})
}

// File is a file to read.
type File struct {
	Path, Shown string // Shown is what messages call it
	Format      int    // the newest that is known
	Progress    func(done, total int64)
}

// Header is the first line of a file.
type Header interface {
	// Check returns the format and the number of lines that follow; ok is false for an invalid header.
	Check() (format, lines int, ok bool)
}

// Bad is the error for a line that Write cannot have written.
type Bad string

func (b Bad) Error() string { return string(b) }

// Read reads the header and calls each for every other line; where names it in messages. Without each
// it reads the header alone.
func Read[L any](ctx context.Context, f File, header Header, each func(where string, l *L) error) error {
	in, err := stream.Open(ctx, f.Path, f.Shown, math.MaxInt64, f.Progress)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 6*64<<20) // the longest text, of whose bytes JSON makes up to six each
	number := 0
	damaged := func(err error) error {
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%s: line %d is damaged or cut off (%w): add the data again", f.Shown, number, err)
	}
	total := 0
	for lines.Scan() {
		if number++; number == 1 {
			err := json.Unmarshal(lines.Bytes(), header)
			format, lines, ok := header.Check()
			switch total = lines; {
			case err != nil:
				return damaged(err)
			case format > f.Format:
				return fmt.Errorf("%s: has format %d, and this program knows %d: take a newer one, or add the data again", f.Shown, format, f.Format)
			case format < 1 || !ok:
				return damaged(errors.New("the header is invalid"))
			case each == nil:
				return nil
			}
			continue
		}
		var l L
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return damaged(err)
		}
		err := each(fmt.Sprintf("%s: line %d", f.Shown, number), &l)
		if _, bad := errors.AsType[Bad](err); bad {
			return damaged(err)
		}
		if err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil || number == 0 {
		number++
		return damaged(cmp.Or(err, io.EOF))
	}
	if number--; number != total {
		return fmt.Errorf("%s: has %d lines instead of %d: the file is not whole, add the data again", f.Shown, number, total)
	}
	return nil
}
