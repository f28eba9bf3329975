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

// fixLine is what to do about a wrong line.
const fixLine = "correct or remove the line"

// readText reads lines.
func (r *reader) readText(in io.Reader) error {
	n := min(1, r.words+1) // the number of the last line
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	for lines.Scan() {
		n++
		line := bytes.TrimRight(lines.Bytes(), " \r")
		if len(line) == 0 {
			continue
		}
		if err := r.line(line); err != nil {
			return &placeError{r.name, "line", n, err}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &placeError{r.name, "line", n + 1, fmt.Errorf("is longer than %d bytes: not word vectors", maxLine)}
	case err != nil:
		return stream.Damaged(r.name, fmt.Sprintf("line %d", n), err)
	}
	return nil
}

// line parses one line: a word, then dim values.
func (r *reader) line(line []byte) error {
	i := bytes.IndexByte(line, ' ')
	if i < 0 {
		return fmt.Errorf("has no values after %s: %s", stream.Quote(string(line)), fixLine)
	}
	if err := r.values(line[i:]); err != nil {
		// The word may contain spaces: the values are the last dim fields. With more numbers than that
		// the line has too many values.
		j := beforeFields(line, len(r.row))
		if j <= i || hasNumber(line[i+1:j]) || r.values(line[j:]) != nil {
			return fmt.Errorf("%w: %s", err, fixLine)
		}
		i = j
	}
	return r.add(line[:i])
}

// values parses " 0.1 0.2 …" into r.row.
func (r *reader) values(text []byte) error {
	for d := range r.row {
		if len(text) == 0 {
			return fmt.Errorf("has %d values instead of %d", d, len(r.row))
		}
		end := len(text)
		if i := bytes.IndexByte(text[1:], ' '); i >= 0 {
			end = 1 + i
		}
		v, err := float32Of(text[1:end])
		if err != nil {
			return fmt.Errorf("value %d, %s, is %w", d+1, stream.Quote(string(text[1:end])), err)
		}
		r.row[d], text = v, text[end:]
	}
	if len(text) > 0 {
		return fmt.Errorf("has %d values instead of %d", len(r.row)+bytes.Count(text, []byte(" ")), len(r.row))
	}
	return nil
}

// beforeFields returns where the last n fields begin, at the space before them; 0 or less if there
// are not so many.
func beforeFields(line []byte, n int) int {
	at := len(line)
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(line[:at], ' ')
	}
	return at
}

// hasNumber reports whether a field of a text is a number.
func hasNumber(text []byte) bool {
	for f := range bytes.SplitSeq(text, []byte(" ")) {
		if _, err := float32Of(f); err == nil || errors.Is(err, errRange) {
			return true
		}
	}
	return false
}

const maxBinaryWord = 1 << 12 // bytes of the longest word of a binary file

// errRecord marks errors in the content, as opposed to errors of reading.
var errRecord = errors.New("the file is damaged, or line 1 declares the wrong dimensions")

// readBinary reads word2vec's binary format: each word, a space and dim little-endian
// float32. word2vec writes a line end after each, other programs do not.
func (r *reader) readBinary(file io.Reader) error {
	in := bufio.NewReaderSize(file, 1<<17)
	for n := 1; n <= r.words; n++ {
		switch err := r.record(in, n); {
		case err == io.EOF:
			return r.whole(n - 1)
		case errors.Is(err, errRecord):
			return &placeError{r.name, "word", n, err}
		case err != nil:
			return stream.Damaged(r.name, fmt.Sprintf("word %d", n-1), err)
		}
	}
	switch rest, err := in.Peek(2); { // at most a line end
	case err == nil, err == io.EOF && len(rest) == 1 && rest[0] != '\n':
		return fmt.Errorf("%s: there is more after the %d words that line 1 declares: the file is damaged", r.name, r.words)
	case err != io.EOF:
		return stream.Damaged(r.name, fmt.Sprintf("word %d", r.words), err)
	}
	return nil
}

// record reads word n and its values. It returns io.EOF at the end of the file.
func (r *reader) record(in *bufio.Reader, n int) error {
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
	values, err := in.Peek(4 * len(r.row))
	if err != nil {
		return err
	}
	for d := range r.row {
		x := math.Float32frombits(binary.LittleEndian.Uint32(values[4*d:]))
		if x-x != 0 {
			return fmt.Errorf("value %d of %s, %v, is not finite: %w", d+1, stream.Quote(string(word)), x, errRecord)
		}
		r.row[d] = x
	}
	if err := r.add(word); err != nil {
		return fmt.Errorf("%w: %w", err, errRecord)
	}
	_, err = in.Discard(len(values))
	return err
}
