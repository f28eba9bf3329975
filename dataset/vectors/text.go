package vectors

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"imdbexp/dataset/internal/stream"
	"imdbexp/internal/guard"
)

// chunkBytes is about how much text a worker parses at a time.
const chunkBytes = 1 << 20

// chunk is whole lines of text; line is the number of the first.
type chunk struct {
	text []byte
	line int
}

// readText parses lines on all cores and collects their words in the order of the file.
func (f *file) readText(_ context.Context, all *collection) error {
	var chunks []chunk
	parse := func() error {
		batches := make([]*batch, len(chunks))
		var g errgroup.Group
		for i, c := range chunks {
			g.Go(guard.Func(func() error { batches[i] = f.parse(all.batch(), c); return nil }))
		}
		err := g.Wait()
		for i := 0; i < len(batches) && err == nil; i++ {
			err = all.add(batches[i])
		}
		chunks = nil
		return err
	}
	err := f.chunks(func(c chunk) error {
		if chunks = append(chunks, c); len(chunks) < 2*runtime.GOMAXPROCS(0) {
			return nil
		}
		return parse()
	})
	return cmp.Or(parse(), err) // err counts only if no earlier line has one
}

// chunks reads the text in chunks.
func (f *file) chunks(emit func(chunk) error) error {
	line, rest := 1, f.head
	if f.words >= 0 {
		line = 2
	}
	f.hash.Write(rest)
	for rest = rest[min(f.skip, len(rest)):]; ; {
		b := make([]byte, len(rest)+chunkBytes)
		old := copy(b, rest)
		n, err := stream.ReadFull(f.in, b[old:])
		b = b[:old+n]
		f.hash.Write(b[old:])
		if err != nil && err != io.EOF {
			return stream.Damaged(f.name, fmt.Sprintf("line %d", line), err)
		}
		cut := len(b)
		if err == nil {
			cut = bytes.LastIndexByte(b, '\n') + 1
		}
		if cut == 0 && len(b) > maxLine {
			return f.bad(line, fmt.Errorf("is longer than %d bytes: not word vectors", maxLine))
		}
		rest = b[cut:]
		if bad := emit(chunk{b[:cut:cut], line}); bad != nil || err != nil {
			return bad
		}
		line += bytes.Count(b[:cut], []byte("\n"))
	}
}

// parse parses whole lines up to the first error.
func (f *file) parse(b *batch, c chunk) *batch {
	n := c.line
	for line := range bytes.Lines(c.text) {
		if line = bytes.TrimRight(line, " \r\n"); len(line) > 0 {
			if err := b.line(line); err != nil {
				b.err = f.bad(n, err)
				break
			}
		}
		n++
	}
	return b
}

// fixLine is what to do about a wrong line.
const fixLine = "correct or remove the line"

// line parses one line: a word, then dim values.
func (b *batch) line(line []byte) error {
	i := bytes.IndexByte(line, ' ')
	if i < 0 {
		return fmt.Errorf("has no values after %s: %s", stream.Quote(string(line)), fixLine)
	}
	if err := b.values(line[i:]); err != nil {
		// The word may contain spaces: the values are the last dim fields.
		j, spaced := lastFields(line, len(b.row))
		if !spaced || b.values(line[j:]) != nil {
			return fmt.Errorf("%w: %s", err, fixLine)
		}
		i = j
	}
	return b.add(line[:i])
}

// values parses " 0.1 0.2 …" into b.row.
func (b *batch) values(text []byte) error {
	for d := range b.row {
		if len(text) == 0 {
			return fmt.Errorf("has %d values instead of %d", d, len(b.row))
		}
		end := len(text)
		if i := bytes.IndexByte(text[1:], ' '); i >= 0 {
			end = 1 + i
		}
		v, err := float32Of(text[1:end])
		if err != nil {
			return fmt.Errorf("value %d, %s, is %w", d+1, stream.Quote(string(text[1:end])), err)
		}
		b.row[d], text = v, text[end:]
	}
	if len(text) > 0 {
		return fmt.Errorf("has %d values instead of %d", len(b.row)+bytes.Count(text, []byte(" ")), len(b.row))
	}
	return nil
}

// lastFields returns where the last dim fields begin, at the space before them. It reports false
// for a line with more numbers than that: it has too many values, not a word with spaces.
func lastFields(line []byte, dim int) (at int, ok bool) {
	at = len(line)
	for range dim {
		if at = bytes.LastIndexByte(line[:at], ' '); at <= 0 {
			return 0, false
		}
	}
	fields := bytes.Split(line[:at], []byte(" "))
	for _, f := range fields[1:] {
		if _, err := float32Of(f); err == nil || errors.Is(err, errRange) {
			return 0, false
		}
	}
	return at, len(fields) > 1
}
