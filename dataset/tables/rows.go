package tables

import (
	"bytes"
	"cmp"
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
			return t.fail(atLine(before+bad.StartLine), "", what)
		}
		if err != nil {
			return err
		}
		in.line, _ = r.FieldPos(0)
		in.line += before
		if len(row) > maxColumns {
			return t.fail(atLine(in.line), "", errWide)
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

// quotedText is a part of a line in quotes, or behind a quote that is not closed.
var quotedText = regexp.MustCompile(`"[^"]*("|$)`)

// delimiter finds the delimiter in the first line. Among those outside quotes it prefers the
// first that gives columns with usual names; a comma is the most likely.
func (t *text) delimiter(o Options) (comma byte, named bool) {
	head, _ := t.head() // an error comes again
	first, _, _ := bytes.Cut(head, []byte("\n"))
	unquoted := quotedText.ReplaceAll(first, nil)
	for _, d := range []byte(",\t;") {
		if bytes.IndexByte(unquoted, d) < 0 {
			continue
		}
		if comma == 0 {
			comma = d
		}
		names := strings.Split(strings.TrimRight(string(first), "\r"), string(d))
		for i := range names {
			names[i] = strings.Trim(names[i], `" `)
		}
		_, err := chooseColumns(names, o)
		if err == nil && (o.Columns[Text] != "" || textNamed(names)) {
			return d, true
		}
	}
	return cmp.Or(comma, ','), false
}

// readTSV reads columns separated by tabs, plain or quoted. A field that begins with a quote follows
// RFC 4180 if its closing quote is before a tab or the end of the line. Otherwise quotes are
// ordinary characters, as most programs write TSV. A field whose quote is not closed on its
// line continues on the next, unless this row and the next line both have all columns.
func readTSV(t *table, in *text) error {
	var buf []byte        // the row so far, if a quote is open
	var row []string      // its fields
	first, width := 0, -1 // line of the row; columns of the first row
	end := func() (err error) {
		if buf != nil && len(row) != width {
			return t.fail(atLine(first), "", fmt.Errorf("%d columns instead of %d, or a quote that is not closed", len(row), width))
		}
		if buf != nil {
			buf, err = nil, t.row(first, row)
		}
		return err
	}
	err := in.each(func(line []byte) error {
		alone, open, err := t.splitTSV(line, in.line)
		if buf != nil && len(row) == width && in.line == first+1 && (err != nil || len(alone) == width) {
			if err := end(); err != nil {
				return err
			}
		}
		if buf != nil {
			buf = append(append(buf, '\n'), line...)
			if int64(len(buf)) > 2*in.max {
				return t.fail(atLine(first), "", fmt.Errorf("%w; is a quote not closed?", stream.TooLong(in.max)))
			}
			if bytes.IndexByte(line, '"') < 0 {
				return nil // the field cannot end here
			}
			if row, open, err = t.splitTSV(buf, first); err != nil || open && len(row) <= width {
				return err
			}
			buf = nil
			return t.row(first, row)
		}
		switch {
		case err != nil:
			return err
		case len(bytes.TrimSpace(line)) == 0:
			return nil
		case width < 0:
			width, open = len(alone), false
		}
		if open && len(alone) <= width {
			buf, row, first = append([]byte{}, line...), alone, in.line
			return nil
		}
		return t.row(in.line, alone)
	})
	if err == nil {
		err = end()
	}
	if err == nil {
		err = t.end()
	}
	return err
}

// quotedField matches a field that begins with a quote, up to its closing quote at a tab or at the end, or
// all of an open one.
var quotedField = regexp.MustCompile(`^"((?:[^"]|"")*)(?:(")(?:\t|$)|$)`)

// splitTSV splits a row; open reports that its last field begins with a quote that is not closed.
func (t *table) splitTSV(row []byte, line int) (fields []string, open bool, err error) {
	if n := bytes.Count(row, []byte("\t")); n >= maxColumns {
		return nil, false, t.fail(atLine(line), "", errWide)
	}
	for rest := row; ; {
		var field string
		n := bytes.IndexByte(rest, '\t')
		if n < 0 {
			n = len(rest)
		}
		m := quotedField.FindSubmatchIndex(rest)
		if open = m != nil && m[4] < 0; m != nil && !open {
			n = m[5]
			field = strings.ReplaceAll(string(rest[m[2]:m[3]]), `""`, `"`)
		} else {
			field = unescape(string(rest[:n]))
		}
		if fields = append(fields, field); n == len(rest) {
			return fields, open, nil
		}
		rest = rest[n+1:]
	}
}

// unescape reads a field whose quotes are written \", as in Kaggle's IMDB.
func unescape(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' || !strings.Contains(s, `\"`) {
		return s
	}
	inner := s[1 : len(s)-1]
	if strings.Count(inner, `"`) != strings.Count(inner, `\"`) {
		return s
	}
	return strings.ReplaceAll(inner, `\"`, `"`)
}
