package tables

import (
	"encoding/csv"
	"errors"
	"fmt"
)

// readCSV reads a table as RFC 4180 defines it, also with other delimiters.
func readCSV(e *emitter, in *text) (How, error) {
	comma, _ := in.delimiter(e.o)
	limit := &rowLimit{in: in}
	r := csv.NewReader(limit)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = rune(comma), -1, true
	return readTable(e, CSV, &csvRows{r, e, limit, in.line})
}

type csvRows struct {
	*csv.Reader
	e      *emitter
	limit  *rowLimit
	before int // lines before the first that package csv reads
}

func (c *csvRows) next() ([]string, int, error) {
	c.limit.left = 2 * c.e.o.Limits.RecordBytes // room for quotes and other columns
	fields, err := c.Read()
	if bad := new(csv.ParseError); errors.As(err, &bad) {
		what := fmt.Errorf("byte %d is a quote inside a field: write it twice, and quote the field", bad.Column)
		if bad.Err == csv.ErrQuote && bad.StartLine != bad.Line {
			what = fmt.Errorf("a quoted field begins here and does not end properly in line %d, byte %d: close it, and write quotes inside it twice", c.before+bad.Line, bad.Column)
		}
		return nil, 0, c.e.fail(place{unit: "line", number: c.before + bad.StartLine}, "", what)
	}
	if err != nil {
		return nil, 0, err
	}
	line, _ := c.FieldPos(0)
	line += c.before
	c.limit.in.line = line
	if len(fields) > c.e.o.Limits.Columns {
		return nil, 0, c.e.fail(place{unit: "line", number: line}, "", fmt.Errorf("more than %d columns: keep those of text and label", c.e.o.Limits.Columns))
	}
	return fields, line, nil
}

// rowLimit refuses a row that is longer than left bytes, which package csv would read as a
// whole.
type rowLimit struct {
	in   *text
	left int64 // reset for each row
}

func (l *rowLimit) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fmt.Errorf("%s: the row after line %d is %w; is a quote not closed?", l.in.file, l.in.line, tooLong(l.in.max))
	}
	n, err := l.in.Read(p)
	l.left -= int64(n)
	return n, err
}
