package tables

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"imdbexp/dataset/internal/stream"
)

// readCSV reads a table as RFC 4180 defines it, also with other delimiters.
func readCSV(t *table, in *text) error {
	before := in.line // lines before the first that package csv reads
	comma, _ := in.delimiter(t.o)
	limit := &rowLimit{in: in}
	r := csv.NewReader(limit)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = rune(comma), -1, true
	for {
		limit.left = 2 * t.o.Limits.ReviewBytes // room for quotes and other columns
		row, err := r.Read()
		if err == io.EOF {
			return t.end()
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			what := fmt.Errorf("byte %d is a quote inside a field: write it twice, and quote the field", bad.Column)
			if bad.Err == csv.ErrQuote && bad.StartLine != bad.Line {
				what = fmt.Errorf("a quoted field begins here and does not end properly in line %d, byte %d: close it, and write quotes inside it twice", before+bad.Line, bad.Column)
			}
			return t.fail(place{unit: "line", number: before + bad.StartLine}, "", what)
		}
		if err != nil {
			return err
		}
		in.line, _ = r.FieldPos(0)
		in.line += before
		if len(row) > maxColumns {
			return t.fail(place{unit: "line", number: in.line}, "", errWide)
		}
		if err := t.row(in.line, row); err != nil {
			return err
		}
	}
}

var errWide = fmt.Errorf("more than %d columns: keep the columns of text and label", maxColumns)

// rowLimit refuses a row that is longer than left bytes, which package csv would read as a
// whole.
type rowLimit struct {
	in   *text
	left int64 // reset for each row
}

func (l *rowLimit) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fmt.Errorf("%s: the row after line %d is %w; is a quote not closed?", l.in.file, l.in.line, stream.TooLong(l.in.max))
	}
	n, err := l.in.Read(p)
	l.left -= int64(n)
	return n, err
}

// delimiters are the possible delimiters of a CSV, the most likely first.
const delimiters = ",\t;"

// delimiter finds the delimiter in the first line. Among those outside quotes it prefers the
// first that gives columns with usual names.
func (t *text) delimiter(o Options) (comma byte, named bool) {
	head, _ := t.head() // an error comes again
	first, _, _ := bytes.Cut(head, []byte("\n"))
	there := delimitersIn(first)
	for _, d := range there {
		names := strings.Split(strings.TrimRight(string(first), "\r"), string(d))
		for i := range names {
			names[i] = strings.Trim(names[i], `" `)
		}
		_, err := chooseColumns(names, o)
		if err == nil && (o.Columns[Text] != "" || usual(names, Text) >= 0) {
			return d, true
		}
	}
	return there[0], false
}

// quotedText is a part of a line in quotes, or behind a quote that is not closed.
var quotedText = regexp.MustCompile(`"[^"]*("|$)`)

// delimitersIn returns the delimiters outside quotes, or a comma.
func delimitersIn(line []byte) (out []byte) {
	line = quotedText.ReplaceAll(line, nil)
	for _, d := range []byte(delimiters) {
		if bytes.IndexByte(line, d) >= 0 {
			out = append(out, d)
		}
	}
	if out == nil {
		return []byte{','}
	}
	return out
}
