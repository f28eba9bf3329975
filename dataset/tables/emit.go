package tables

import (
	"context"
	"fmt"
	"io"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// emitter checks records and yields them.
type emitter struct {
	ctx   context.Context
	file  string
	o     Options
	left  dataset.Limits
	yield func(Record) error

	stream bool     // not a file
	litter []string // names of skipped files

	wrong []*RowError

	entities int // records with HTML entities or escapes
}

// place is a position in a file.
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

// fail adds the place and the column, if any, to an error.
func (e *emitter) fail(p place, column string, err error) error {
	if column != "" {
		return fmt.Errorf("%s, column %s: %w", e.at(p), stream.Quote(column), err)
	}
	return fmt.Errorf("%s: %w", e.at(p), err)
}

// record checks the fields of one record and yields it; names are the names of its columns.
func (e *emitter) record(p place, names [Roles]string, f fields) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if f[Title] != "" {
		f[Text] = f[Title] + "\n" + f[Text]
		f[Title] = ""
	}
	e.left.Reviews--
	for _, s := range f {
		e.left.TotalBytes -= int64(len(s))
	}
	switch {
	case e.left.Reviews < 0:
		return e.fail(p, "", fmt.Errorf("more than %d texts: add fewer", e.o.Limits.Reviews))
	case e.left.TotalBytes < 0:
		return e.fail(p, "", fmt.Errorf("more than %d bytes of text: add less", e.o.Limits.TotalBytes))
	case int64(len(f[Text])) > e.o.Limits.ReviewBytes:
		return e.bad(p, names, RowError{Role: Text, What: stream.TooLong(e.o.Limits.ReviewBytes).Error()})
	}
	f[Label], f[Split] = strings.TrimSpace(f[Label]), strings.TrimSpace(f[Split])
	if e.o.Unlabelled {
		f[Label] = ""
	} else if f[Label] == "" && !e.o.Asked && f[Split] == "" {
		return e.bad(p, names, errNoLabel)
	}
	if !e.o.pairs {
		f[Label] = strings.TrimPrefix(f[Label], fastTextPrefix)
	}
	for role, s := range f {
		if err := check(s); err != nil {
			return e.bad(p, names, RowError{Role: role, What: err.Error()})
		}
	}
	spans, err := marked(f[Text], f[Rationale])
	if err != nil {
		return e.bad(p, names, RowError{Role: Rationale, What: err.Error()})
	}
	if !e.o.KeepEntities {
		var inText, inLabel bool
		f[Text], inText = decodeEntities(f[Text], spans)
		f[Label], inLabel = decodeEntities(f[Label], nil)
		if inText || inLabel {
			e.entities++
		}
	}
	err = e.yield(Record{ID: f[ID], Split: f[Split], Label: f[Label], Text: f[Text], Where: e.at(p), Rationale: spans})
	if wrong, is := err.(*RowError); is {
		return e.bad(p, names, *wrong)
	}
	return err
}

// meter returns a reader that reports progress.
func (e *emitter) meter(r io.Reader, size int64) *stream.Meter {
	return &stream.Meter{Context: e.ctx, R: r, Total: size, Progress: e.o.Progress}
}

var errNoLabel = RowError{Role: Label, What: "has no label", Fix: "add one, or move the text to a file for --unlabelled"}

// check returns an error if s is not text.
func check(s string) error {
	return stream.NotText(s, "give --encoding latin1 or windows-1252 if it is that, or convert it with iconv -t UTF-8")
}
