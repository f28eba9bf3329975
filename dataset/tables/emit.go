package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"imdbexp/dataset/internal/stream"
)

// emitter checks records and hands them on.
type emitter struct {
	ctx   context.Context
	file  string
	o     Options
	left  Limits
	yield func(Record) error

	stream bool // no file
}

// place says where in a file something stands.
type place struct {
	unit   string // line, row or entry
	number int
	name   string // of an entry
}

func (e *emitter) at(p place) string {
	switch {
	case p.name != "":
		return e.file + "/" + p.name
	case p.number > 0:
		return fmt.Sprintf("%s: %s %d", e.file, p.unit, p.number)
	}
	return e.file
}

// fail names the place of an error, and the column where there is one.
func (e *emitter) fail(p place, column string, err error) error {
	if column != "" {
		return fmt.Errorf("%s, column %s: %w", e.at(p), quote(column), err)
	}
	return fmt.Errorf("%s: %w", e.at(p), err)
}

// record checks one record and yields it; how names its columns.
func (e *emitter) record(p place, how How, r Record) error {
	label, text := r.Label, r.Text
	if err := e.ctx.Err(); err != nil {
		return err
	}
	e.left.Records--
	e.left.TotalBytes -= int64(len(r.ID) + len(label) + len(text) + len(r.rationale) + len(r.Split))
	switch {
	case e.left.Records < 0:
		return e.fail(p, "", fmt.Errorf("more than %d texts: add a part of them", e.o.Limits.Records))
	case e.left.TotalBytes < 0:
		return e.fail(p, "", fmt.Errorf("more than %d bytes of text: add a part of it", e.o.Limits.TotalBytes))
	case int64(len(text)) > e.o.Limits.RecordBytes:
		return e.fail(p, how.Text, tooLong(e.o.Limits.RecordBytes))
	}
	if err := e.check(text); err != nil {
		return e.fail(p, how.Text, err)
	}
	if e.o.Unlabelled {
		label = ""
	} else {
		label = strings.TrimSpace(label)
		if label == "" && !e.o.Asked && r.Split == "" {
			return e.fail(p, how.Label, errNoLabel)
		}
		if err := e.check(label); err != nil {
			return e.fail(p, how.Label, err)
		}
	}
	if err := e.check(r.ID); err != nil {
		return e.fail(p, how.ID, err)
	}
	if err := e.check(r.Split); err != nil {
		return e.fail(p, how.Split, err)
	}
	spans, err := marked(text, r.rationale)
	if err != nil {
		return e.fail(p, how.Rationale, err)
	}
	return e.yield(Record{ID: r.ID, Split: strings.TrimSpace(r.Split), Label: label, Text: text, Where: e.at(p), Rationale: spans})
}

// meter counts what is read of a file.
func (e *emitter) meter(r io.Reader, size int64) *stream.Meter {
	return &stream.Meter{Context: e.ctx, R: r, Total: size, Progress: e.o.Progress}
}

var errNoLabel = errors.New("has no label: give it one, or take it out and add it by --unlabelled")

func tooLong(limit int64) error {
	return fmt.Errorf("longer than %d bytes, the limit for one text", limit)
}

// check refuses what is not text.
func (e *emitter) check(s string) error {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return fmt.Errorf("byte %d is NUL: this is not text", i+1)
	}
	if utf8.ValidString(s) {
		return nil
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return fmt.Errorf("byte %d is not UTF-8: give --encoding latin1 or windows-1252 if it is that, or convert it with iconv -t UTF-8", i+1)
			}
		}
	}
	return nil
}

// quote shows a name from a file, which may hold anything.
func quote(name string) string {
	if len(name) > 100 {
		name = name[:100] + "…"
	}
	return fmt.Sprintf("%q", name)
}
