package tables

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"imdbexp/dataset/internal/stream"
)

// readTSV reads columns separated by tabs, plain or quoted.
func readTSV(t *table, in *text) error {
	rows := &tsvRows{in: in, e: t.emitter}
	for {
		row, line, err := rows.next()
		if err == io.EOF {
			return t.end()
		}
		if err == nil {
			err = t.row(line, row)
		}
		if err != nil {
			return err
		}
	}
}

// tsvRows reads rows of fields separated by tabs. A field that begins with a quote follows
// RFC 4180 if its closing quote is before a tab or the end of the line. Otherwise quotes are
// ordinary characters, as most programs write TSV. A field whose quote is not closed on its
// line continues on the next, unless this row and the next line both have all columns.
type tsvRows struct {
	in    *text
	e     *emitter
	buf   []byte
	ahead []byte // the line after buf, if held
	held  bool
	width int // columns of the first row
}

func (t *tsvRows) next() ([]string, int, error) {
	for {
		if err := t.line(); err != nil {
			return nil, 0, err
		}
		if len(bytes.TrimSpace(t.buf)) > 0 {
			break
		}
	}
	line := t.in.line
	fields, open, err := t.split(t.buf, line)
	if err != nil {
		return nil, 0, err
	}
	if t.width == 0 {
		t.width = len(fields)
		return fields, line, nil
	}
	for open && len(fields) <= t.width {
		if t.ahead, err = t.in.next(t.ahead); err == io.EOF && len(fields) == t.width {
			break
		} else if err == io.EOF {
			return nil, 0, t.e.fail(place{unit: "line", number: line}, "", fmt.Errorf("%d columns instead of %d, or a quote that is not closed", len(fields), t.width))
		} else if err != nil {
			return nil, 0, err
		}
		if t.in.line == line+1 && len(fields) == t.width {
			if after, _, err := t.split(t.ahead, line+1); err != nil || len(after) == t.width {
				t.held = true
				break
			}
		}
		t.buf = append(append(t.buf, '\n'), t.ahead...)
		if int64(len(t.buf)) > 2*t.in.max {
			return nil, 0, t.e.fail(place{unit: "line", number: line}, "", fmt.Errorf("%w; is a quote not closed?", stream.TooLong(t.in.max)))
		}
		if bytes.IndexByte(t.ahead, '"') < 0 {
			continue // the field cannot end here
		}
		if fields, open, err = t.split(t.buf, line); err != nil {
			return nil, 0, err
		}
	}
	return fields, line, nil
}

// line reads the next line into buf.
func (t *tsvRows) line() (err error) {
	if t.held {
		t.held, t.buf, t.ahead = false, t.ahead, t.buf
		return nil
	}
	t.buf, err = t.in.next(t.buf)
	return err
}

// split splits a row; open reports that its last field begins with a quote that is not closed.
func (t *tsvRows) split(row []byte, line int) (fields []string, open bool, err error) {
	if n := bytes.Count(row, []byte("\t")); n >= t.e.o.Limits.Columns {
		return nil, false, t.e.fail(place{unit: "line", number: line}, "", tooWide(t.e.o.Limits.Columns))
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
