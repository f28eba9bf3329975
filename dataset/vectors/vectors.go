// Package vectors reads word vectors (GloVe, fastText and word2vec files, text or binary),
// makes random and trained ones, and finds nearest neighbors.
package vectors

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// Set is a table of word vectors.
type Set struct {
	Name   string // as in the setting, such as glove50
	Dim    int
	Words  []string
	Rows   []float32 // [len(Words), Dim]
	Digest string    // SHA-256 of the decompressed file
	Total  int       // words in the file; Words are those to keep
}

// Row returns the vector of Words[i].
func (v *Set) Row(i int) []float32 { return v.Rows[i*v.Dim : (i+1)*v.Dim] }

// Options are what to read of a file of word vectors.
type Options struct {
	Keep     []string // the words to keep, in this order; nil keeps all, in the order of the file
	Shown    string   // name of the file in messages; "" is its path
	Progress dataset.Progress
	Warn     func(error) // may be nil
}

// Limits of a file of word vectors.
const (
	minFileDim = 10
	MaxDim     = 1000
	maxLine    = 1 << 20
	MaxBytes   = 64 << 30
	maxValues  = 1 << 31 // in memory, if all words are kept
	maxWords   = 1 << 25 // of a file, kept or not: all are remembered to find duplicates
)

// Read reads word vectors of 10 to 1000 dimensions in one of three formats, which it
// recognises by the content: GloVe's text, a word and its values per line; word2vec's text,
// the same after a header line with the numbers of words and dimensions; word2vec's binary
// format, that header line, then each word, a space and its values as little-endian
// float32. The file may be plain, gzip, zstd, or alone in a zip. Every line is checked, even if
// its word is not kept. Errors name the line or the word.
func Read(ctx context.Context, path string, o Options) (*Set, error) {
	in, name, err := stream.OpenInside(ctx, path, cmp.Or(o.Shown, path), "", MaxBytes, o.Progress)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parse(name, in, o)
}

// reader reads a file of vectors. Of a word that is repeated it keeps the first vector.
type reader struct {
	layout
	name  string
	in    io.Reader
	head  []byte           // the first lines, already read from in
	row   []float32        // [dim] of the word that is being read
	keep  map[string]int32 // index of each word to keep; nil keeps all
	rows  [][]float32      // of the words to keep, if not all are
	seen  map[string]bool
	limit int // words
	set   *Set

	skipped int    // words that are not UTF-8, or repeat an earlier one
	example string // the first of them
}

// parse reads decompressed vectors. Errors begin with name.
func parse(name string, in io.Reader, o Options) (*Set, error) {
	r := &reader{name: name, in: in, seen: map[string]bool{}, limit: maxWords}
	if err := r.begin(); err != nil {
		return nil, err
	}
	r.set, r.row = &Set{Name: name, Dim: r.dim}, make([]float32, r.dim)
	if o.Keep == nil {
		r.limit = min(maxWords, maxValues/r.dim)
	} else {
		r.keep, r.rows = dataset.Index(o.Keep), make([][]float32, len(o.Keep))
	}
	read := r.readText
	switch {
	case r.words > r.limit:
		return nil, fmt.Errorf("%s: line 1: declares %d words of %d dimensions: %w", name, r.words, r.dim, errTooMany)
	case r.binary:
		read = r.readBinary
	}
	sum := sha256.New()
	sum.Write(r.head[:r.skip])
	if err := read(io.TeeReader(io.MultiReader(bytes.NewReader(r.head[r.skip:]), in), sum)); err != nil {
		return nil, err
	}
	for id, row := range r.rows {
		if row != nil {
			r.set.Words, r.set.Rows = append(r.set.Words, o.Keep[id]), append(r.set.Rows, row...)
		}
	}
	r.set.Total, r.set.Digest = len(r.seen), hex.EncodeToString(sum.Sum(nil))
	switch omitted := fmt.Sprintf("%d of %d words are not UTF-8 or repeat an earlier one, such as %s", r.skipped, r.skipped+r.set.Total, stream.Quote(r.example)); {
	case r.skipped > r.set.Total:
		return nil, fmt.Errorf("%s: %s: the file is damaged or has another encoding", name, omitted)
	case r.skipped > 0 && o.Warn != nil:
		o.Warn(fmt.Errorf("%s: %s: they are skipped", name, omitted))
	}
	return r.set, r.whole(r.set.Total + r.skipped)
}

// begin reads the first lines and finds the layout.
func (r *reader) begin() (err error) {
	if r.head, err = stream.ReadHead(r.in, headBytes); err != nil {
		return stream.Damaged(r.name, "its beginning", err)
	}
	if r.layout, err = layoutOf(r.head); err != nil {
		return fmt.Errorf("%s: line 1: %w", r.name, err)
	}
	return nil
}

// whole returns an error unless the number of words is the one in the header.
func (r *reader) whole(words int) error {
	if r.words < 0 || r.words == words {
		return nil
	}
	return fmt.Errorf("%s: line 1 declares %d words, but there are %d: get the file again, or correct line 1", r.name, r.words, words)
}

// add takes a word, whose values are in r.row.
func (r *reader) add(text []byte) error {
	word := string(text)
	switch {
	case word == "":
		return errors.New("has no word before its values")
	case strings.IndexByte(word, 0) >= 0:
		return fmt.Errorf("the word %s contains a NUL byte", stream.Quote(word))
	case !utf8.ValidString(word) || r.seen[word]:
		r.skipped++
		r.example = cmp.Or(r.example, word)
		return nil
	case len(r.seen) == r.limit:
		return fmt.Errorf("there are %w", errTooMany)
	}
	r.seen[word] = true
	if r.keep == nil {
		r.set.Words, r.set.Rows = append(r.set.Words, word), append(r.set.Rows, r.row...)
	} else if id, wanted := r.keep[word]; wanted {
		r.rows[id] = slices.Clone(r.row)
	}
	return nil
}

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
			return fmt.Errorf("%s: line %d: %w: correct or remove the line", r.name, n, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s: line %d: is longer than %d bytes: not word vectors", r.name, n+1, maxLine)
	case err != nil:
		return stream.Damaged(r.name, fmt.Sprintf("line %d", n), err)
	}
	return nil
}

// line parses one line: a word, which may contain spaces, then dim values.
func (r *reader) line(line []byte) error {
	at := len(line)
	for n := 0; n < r.dim && at > 0; n++ {
		at = bytes.LastIndexByte(line[:at], ' ')
	}
	if at < 0 || hasNumber(line[:at]) {
		return fmt.Errorf("has %d values instead of %d", bytes.Count(line, []byte(" ")), r.dim)
	}
	d := 0
	for text := range bytes.SplitSeq(line[at+1:], []byte(" ")) {
		v, err := strconv.ParseFloat(string(text), 32)
		switch {
		case errors.Is(err, strconv.ErrRange), err == nil && v-v != 0:
			return fmt.Errorf("value %d, %s, is not a finite float32", d+1, stream.Quote(string(text)))
		case err != nil:
			return fmt.Errorf("value %d, %s, is not a number", d+1, stream.Quote(string(text)))
		}
		r.row[d] = float32(v)
		d++
	}
	return r.add(line[:at])
}

// hasNumber reports whether a field behind the first is a number.
func hasNumber(fields []byte) bool {
	_, fields, _ = bytes.Cut(fields, []byte(" "))
	for f := range bytes.SplitSeq(fields, []byte(" ")) {
		if isNumber(f) {
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
			return fmt.Errorf("%s: word %d: %w", r.name, n, err)
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
