package vectors

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"imdbexp/dataset/internal/stream"
)

// readText reads lines.
func (f *file) readText(all *collection) error {
	n := 0 // the number of the last line
	if f.words >= 0 {
		n = 1
	}
	lines := bufio.NewScanner(f.rest())
	lines.Buffer(make([]byte, 1<<16), maxLine)
	for lines.Scan() {
		n++
		line := bytes.TrimRight(lines.Bytes(), " \r")
		if len(line) == 0 {
			continue
		}
		if err := all.line(line); err != nil {
			return f.bad(n, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return f.bad(n+1, fmt.Errorf("is longer than %d bytes: not word vectors", maxLine))
	case err != nil:
		return stream.Damaged(f.name, fmt.Sprintf("line %d", n), err)
	}
	return nil
}

// rest returns what follows the header line, and adds everything that is read to the digest.
func (f *file) rest() io.Reader {
	f.hash.Write(f.head[:f.skip])
	return io.TeeReader(io.MultiReader(bytes.NewReader(f.head[f.skip:]), f.in), f.hash)
}

// fixLine is what to do about a wrong line.
const fixLine = "correct or remove the line"

// line parses one line: a word, then dim values.
func (c *collection) line(line []byte) error {
	i := bytes.IndexByte(line, ' ')
	if i < 0 {
		return fmt.Errorf("has no values after %s: %s", stream.Quote(string(line)), fixLine)
	}
	if err := c.values(line[i:]); err != nil {
		// The word may contain spaces: the values are the last dim fields.
		j, spaced := lastFields(line, len(c.row))
		if !spaced || c.values(line[j:]) != nil {
			return fmt.Errorf("%w: %s", err, fixLine)
		}
		i = j
	}
	return c.add(line[:i])
}

// values parses " 0.1 0.2 …" into c.row.
func (c *collection) values(text []byte) error {
	for d := range c.row {
		if len(text) == 0 {
			return fmt.Errorf("has %d values instead of %d", d, len(c.row))
		}
		end := len(text)
		if i := bytes.IndexByte(text[1:], ' '); i >= 0 {
			end = 1 + i
		}
		v, err := float32Of(text[1:end])
		if err != nil {
			return fmt.Errorf("value %d, %s, is %w", d+1, stream.Quote(string(text[1:end])), err)
		}
		c.row[d], text = v, text[end:]
	}
	if len(text) > 0 {
		return fmt.Errorf("has %d values instead of %d", len(c.row)+bytes.Count(text, []byte(" ")), len(c.row))
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
