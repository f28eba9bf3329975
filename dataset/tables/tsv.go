package tables

import (
	"bytes"
	"fmt"
	"strings"

	"imdbexp/dataset/internal/stream"
)

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
			return t.fail(place{unit: "line", number: first}, "", fmt.Errorf("%d columns instead of %d, or a quote that is not closed", len(row), width))
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
				return t.fail(place{unit: "line", number: first}, "", fmt.Errorf("%w; is a quote not closed?", stream.TooLong(in.max)))
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
	if err != nil {
		return err
	}
	return t.end()
}

// splitTSV splits a row; open reports that its last field begins with a quote that is not closed.
func (t *table) splitTSV(row []byte, line int) (fields []string, open bool, err error) {
	if n := bytes.Count(row, []byte("\t")); n >= maxColumns {
		return nil, false, t.fail(place{unit: "line", number: line}, "", errWide)
	}
	for rest := row; ; {
		field, n, state := quotedField(rest)
		if state != quoteTaken {
			if n = bytes.IndexByte(rest, '\t'); n < 0 {
				n = len(rest)
			}
			field = unescape(string(rest[:n]))
		}
		fields = append(fields, field)
		open = state == quoteOpen
		if n == len(rest) {
			return fields, open, nil
		}
		rest = rest[n+1:]
	}
}

type quoteState int

const (
	quoteNone  quoteState = iota // a plain field
	quoteTaken                   // a quoted one
	quoteOpen                    // begins with a quote that is not closed
)

// quotedField reads a quoted field at the beginning of b and returns its length.
func quotedField(b []byte) (field string, n int, s quoteState) {
	if len(b) == 0 || b[0] != '"' {
		return "", 0, quoteNone
	}
	var out strings.Builder
	for i := 1; ; {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return "", 0, quoteOpen
		}
		out.Write(b[i : i+q])
		i += q + 1
		switch {
		case i == len(b) || b[i] == '\t':
			return out.String(), i, quoteTaken
		case b[i] == '"':
			out.WriteByte('"')
			i++
		default:
			return "", 0, quoteNone
		}
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
