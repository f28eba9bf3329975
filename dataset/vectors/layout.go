package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"

	"imdbexp/dataset/internal/stream"
)

// headBytes is how much of a file Detect reads: several lines.
const headBytes = 1 << 18

// layout is the format of a file of word vectors.
type layout struct {
	binary bool // word2vec's binary format; text otherwise
	words  int  // by the header line; −1 without one
	dim    int
	skip   int // length of the header line and of a byte order mark
}

var (
	errNotVectors = fmt.Errorf("not word vectors: a line is a word and %d to %d numbers, with blanks between", minFileDim, MaxDim)
	errFastText   = errors.New("a model in fastText's own format: use the .vec file that fastText wrote next to it")
	errTooMany    = errors.New("more vectors than fit into memory")
	header        = regexp.MustCompile(`^([0-9]{1,9}) ([0-9]{1,9}) *\r?\n`)
)

// layoutOf returns the layout by the first bytes of a file, enough for several lines. A header line
// of two numbers is optional. Without it, the first line of text decides the
// dimension: how many numbers it ends with.
func layoutOf(head []byte) (l layout, err error) {
	if bytes.HasPrefix(head, []byte("\xba\x16\x4f\x2f")) {
		return l, errFastText
	}
	rows := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")) // added by an editor
	l.words = -1
	if m := header.FindSubmatch(rows); m != nil {
		l.words, _ = strconv.Atoi(string(m[1]))
		l.dim, _ = strconv.Atoi(string(m[2]))
		if rows = rows[len(m[0]):]; len(bytes.TrimSpace(rows)) == 0 {
			return l, fmt.Errorf("declares %d words, but none follow: the file is incomplete, get it again", l.words)
		}
		_, values, _ := bytes.Cut(rows, []byte(" "))
		first, rest, _ := bytes.Cut(values, []byte(" "))
		second, _, _ := bytes.Cut(rest, []byte(" "))
		numbers := isNumber(first) && isNumber(second) // one may be the first bytes of a float32
		l.binary = !numbers && !isText(values[:min(len(values), 4*l.dim)])
	}
	l.skip = len(head) - len(rows)
	row, _, _ := bytes.Cut(rows, []byte("\n"))
	fields, numbers := bytes.Split(bytes.TrimRight(row, " \r"), []byte(" ")), 0
	for numbers < len(fields)-1 && isNumber(fields[len(fields)-1-numbers]) {
		numbers++
	}
	if l.words < 0 {
		l.dim = numbers
	}
	switch {
	case l.dim < minFileDim/2, !l.binary && 2*numbers <= l.dim: // the reader reports single invalid values
		return l, errNotVectors
	case l.dim < minFileDim, l.dim > MaxDim:
		return l, fmt.Errorf("has vectors of %d dimensions: %d to %d can be used", l.dim, minFileDim, MaxDim)
	}
	return l, nil
}

// isText reports whether bytes are text and not float32 values.
func isText(b []byte) bool {
	for len(b) > utf8.UTFMax {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return false
		}
		b = b[n:]
	}
	return true
}

// Detect returns the dimensions of word vectors that Read can read, and their first lines; 0 for
// any other file. Detect returns an error for a file that cannot be read, and for vectors with a number
// of dimensions that cannot be used, such as 9.
func Detect(ctx context.Context, file string) (dim int, head []byte, err error) {
	info, err := os.Stat(file)
	if err != nil || info.IsDir() {
		return 0, nil, err
	}
	in, name, err := stream.OpenInside(ctx, file, file, "", MaxBytes, nil)
	if _, several := errors.AsType[stream.MemberError](err); several {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	defer in.Close()
	r := reader{name: name, in: in}
	if err = r.begin(); errors.Is(err, errNotVectors) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	return r.dim, r.head, nil
}

// isNumber also accepts numbers that are too large for a float32.
func isNumber(b []byte) bool {
	_, err := strconv.ParseFloat(string(b), 32)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
