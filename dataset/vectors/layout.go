package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	"imdbexp/dataset/internal/stream"
)

// layout is the format of a file of word vectors.
type layout struct {
	binary bool // word2vec's binary format; text otherwise
	words  int  // by the header line; −1 without one
	dim    int
	skip   int // length of the header line and of a byte order mark
}

// HeadBytes is how much of a file DimOf and Detect read: several lines.
const HeadBytes = 2 * maxLine

// DimOf returns the dimensions of decompressed word vectors by their first bytes. It
// reports false for anything else.
func DimOf(head []byte) (dim int, ok bool) {
	l, _, err := layoutOf(head)
	return l.dim, err == nil && l.plausible(head)
}

// layoutOf returns the layout by the first bytes of a file, enough for several lines. An
// error is at line.
func layoutOf(head []byte) (l layout, line int, err error) {
	l.words = -1
	if bytes.HasPrefix(head, []byte("\xba\x16\x4f\x2f")) {
		return l, 1, errFastText
	}
	if rest, marked := bytes.CutPrefix(head, []byte("\xef\xbb\xbf")); marked { // by an editor
		head, l.skip = rest, len(head)-len(rest)
	}
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	fields := bytes.Split(bytes.TrimRight(first, " \r"), []byte(" "))
	if len(fields) == 2 && allDigits(fields[0]) && allDigits(fields[1]) {
		return headed(fields, rest, l.skip+len(first)+1)
	}
	if columns := bytes.Split(bytes.TrimRight(first, "\r"), []byte("\t")); len(columns) > minFileDim && !slices.ContainsFunc(columns[1:], func(c []byte) bool { return !isNumber(c) }) {
		return l, 1, errTabs
	}
	l.dim = usualFields(head) - 1
	switch {
	case l.dim >= minFileDim && l.dim <= MaxDim:
		return l, 1, nil
	case l.dim > 0 && isNumber(fields[len(fields)-1]):
		return l, 1, fmt.Errorf("has vectors of %d dimensions: %w", l.dim, errDim)
	}
	return l, 1, errNotVectors
}

var (
	errNotVectors = fmt.Errorf("not word vectors: a line is a word and %d to %d numbers", minFileDim, MaxDim)
	errFastText   = errors.New("a model in fastText's own format: use the .vec file that fastText wrote next to it")
	errTabs       = errors.New("has tabs between its numbers; word vectors need spaces: convert it with tr '\\t' ' '")
	errDim        = fmt.Errorf("%d to %d can be used", minFileDim, MaxDim)
	errTooMany    = errors.New("more vectors than fit into memory")
)

// headed parses a header line of two numbers. rest follows it, skip bytes from the
// beginning of the file.
func headed(fields [][]byte, rest []byte, skip int) (l layout, line int, err error) {
	words, err1 := strconv.ParseInt(string(fields[0]), 10, 32)
	dim, err2 := strconv.ParseInt(string(fields[1]), 10, 32)
	l = layout{words: int(words), dim: int(dim), skip: skip}
	switch {
	case err1 != nil || words == math.MaxInt32:
		return l, 1, fmt.Errorf("declares %.40s words, which are too many", fields[0])
	case err2 != nil || dim < minFileDim || dim > MaxDim:
		return l, 1, fmt.Errorf("declares vectors of %.40s dimensions: %w", fields[1], errDim)
	case words == 0:
		return l, 1, errors.New("declares no words")
	}
	row, _, _ := bytes.Cut(rest, []byte("\n"))
	row = bytes.TrimRight(row, " \r")
	at := beforeFields(row, l.dim)
	text := at > 0
	for f := range bytes.SplitSeq(row[max(0, at):], []byte(" ")) {
		text = text && (len(f) == 0 || isNumber(f))
	}
	switch l.binary = !text && looksBinary(rest, l.dim); {
	case len(bytes.TrimSpace(rest)) == 0:
		return l, 1, fmt.Errorf("declares %d words, but none follow: the file is incomplete, get it again", words)
	case !text && !l.binary && bytes.Count(row, []byte(" ")) < l.dim:
		return l, 2, fmt.Errorf("has %d values; line 1 declares %d", bytes.Count(row, []byte(" ")), l.dim)
	}
	return l, 0, nil
}

// looksBinary reports whether binary values follow the header. Three in four bytes of
// float32 values are not printable or not UTF-8, and hardly any byte of text is.
func looksBinary(rest []byte, dim int) bool {
	_, b, _ := bytes.Cut(rest, []byte(" "))
	b = b[:min(len(b), 64*dim)]
	odd := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' {
			odd++
		}
		i += n
	}
	return 20*odd > len(b)
}

// usualFields returns the most frequent number of fields in the first lines, because some
// words contain spaces.
func usualFields(head []byte) int {
	counts := map[int]int{}
	usual := 0
	for range 9 {
		line, rest, more := bytes.Cut(head, []byte("\n"))
		if !more && len(line) == 0 {
			break
		}
		head = rest
		if line = bytes.TrimRight(line, " \r"); len(line) == 0 {
			continue
		}
		n := 1 + bytes.Count(line, []byte(" "))
		if counts[n]++; counts[n] > counts[usual] {
			usual = n
		}
	}
	return usual
}

func isNumber(b []byte) bool {
	_, err := float32Of(b)
	return err == nil
}

// Errors of float32Of.
var (
	errSyntax = errors.New("not a number")
	errRange  = errors.New("not a finite float32")
)

// float32Of reads a decimal number. NaN and infinities are errRange.
func float32Of(b []byte) (float32, error) {
	x, err := strconv.ParseFloat(string(b), 32)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && x-x != 0:
		return 0, errRange
	case err != nil, bytes.IndexByte(b, '_') >= 0, bytes.IndexByte(b, 'p') >= 0, bytes.IndexByte(b, 'P') >= 0: // as in Go's source
		return 0, errSyntax
	}
	return float32(x), nil
}

func allDigits(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0
}

// Detect returns the dimensions of word vectors that Read can read, by the first bytes of a file; 0 for
// anything else. Of a zip it looks for the first member with vectors. Detect returns
// an error for a file that cannot be read, and for vectors with a number of dimensions that cannot be
// used, such as 9.
func Detect(ctx context.Context, file string) (dim int, err error) {
	info, err := os.Stat(file)
	if err != nil || info.IsDir() {
		return 0, err
	}
	members := []string{""}
	if archive, _ := stream.IsZip(file); archive { // an error comes again
		if members, err = stream.ZipNames(file); err != nil {
			return 0, err
		}
	}
	for _, m := range members {
		if dim, err := detectOne(ctx, file, m); !errors.Is(err, errNotVectors) {
			return dim, err
		}
	}
	return 0, nil
}

// detectOne returns errNotVectors for a file or member that holds something else.
func detectOne(ctx context.Context, path, member string) (dim int, err error) {
	in, name, err := stream.OpenInside(ctx, path, "", member, MaxBytes, nil)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	f := reader{name: name, in: in}
	if err = f.begin(); err == nil {
		return f.dim, nil
	}
	sure := errors.Is(err, errFastText) || errors.Is(err, errTabs) ||
		!errors.Is(err, errNotVectors) && f.dim >= minFileDim/2 && f.plausible(f.head)
	if _, content := errors.AsType[*placeError](err); content && !sure {
		err = errNotVectors
	}
	return 0, err
}

// plausible reports whether most fields of the first row are numbers. It accepts vectors
// with an error in that row, which the reader will report.
func (l layout) plausible(head []byte) bool {
	if l.binary {
		return true // such a header does not occur by chance
	}
	row, _, _ := bytes.Cut(head[min(l.skip, len(head)):], []byte("\n"))
	_, fields, _ := bytes.Cut(bytes.TrimRight(row, " \r"), []byte(" "))
	numbers := 0
	for f := range bytes.SplitSeq(fields, []byte(" ")) {
		if hasNumber(f) {
			numbers++
		}
	}
	return 2*numbers > l.dim
}
