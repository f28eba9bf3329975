package vectors

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"imdbexp/dataset"
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

// collection holds the words of a file. Of a word that is repeated it keeps the first vector.
type collection struct {
	file  *file
	row   []float32        // [dim] of the word that is being read
	keep  map[string]int32 // index of each word to keep; nil keeps all
	seen  map[string]bool
	found [][]float32 // rows of the words to keep, if not all are
	set   *Set

	skipped, repeated []string // not UTF-8; there before
}

func newCollection(f *file, keep []string) *collection {
	c := &collection{file: f, row: make([]float32, f.dim), seen: map[string]bool{}, set: &Set{Dim: f.dim}}
	if keep != nil {
		c.keep, c.found = dataset.Index(keep), make([][]float32, len(keep))
	}
	return c
}

// add takes a word, whose values are in c.row.
func (c *collection) add(text []byte) error {
	switch {
	case len(text) == 0:
		return errors.New("has no word before its values: " + fixLine)
	case slices.Contains(text, 0):
		return fmt.Errorf("the word %s contains a NUL byte: the file is damaged or not text", stream.Quote(string(text)))
	case !utf8.Valid(text):
		c.skipped = append(c.skipped, string(text))
		return nil
	case c.seen[string(text)]:
		c.repeated = append(c.repeated, string(text))
		return nil
	case len(c.seen) == c.file.maxWords(c.keep == nil):
		return fmt.Errorf("there are %w", errTooMany)
	}
	word := string(text)
	c.seen[word] = true
	if c.keep == nil {
		c.set.Words, c.set.Rows = append(c.set.Words, word), append(c.set.Rows, c.row...)
	} else if id, wanted := c.keep[word]; wanted {
		c.found[id] = slices.Clone(c.row)
	}
	return nil
}

// omitted describes the words that are not in the table, "" for none.
func (c *collection) omitted() string {
	var what []string
	for _, w := range []struct {
		words []string
		why   string
	}{{c.skipped, "are not UTF-8"}, {c.repeated, "repeat an earlier word"}} {
		if len(w.words) > 0 {
			what = append(what, fmt.Sprintf("%d %s, such as %s", len(w.words), w.why, stream.Quote(w.words[0])))
		}
	}
	return strings.Join(what, "; ")
}

// finish returns the table.
func (c *collection) finish(keep []string) *Set {
	for id, row := range c.found {
		if row != nil {
			c.set.Words = append(c.set.Words, keep[id])
			c.set.Rows = append(c.set.Rows, row...)
		}
	}
	c.set.Total = len(c.seen)
	return c.set
}
