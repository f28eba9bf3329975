package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// emitter checks records and yields them.
type emitter struct {
	ctx    context.Context
	file   string
	o      Options
	left   dataset.Limits
	yield  func(Record) error
	stream bool // not a file

	how   How
	wrong []*RowError
}

// atLine is the place of a line in a file, for messages.
func atLine(n int) string { return fmt.Sprintf(": line %d", n) }

// fail adds the place and the column, if any, to an error.
func (e *emitter) fail(place, column string, err error) error {
	if column != "" {
		place += ", column " + stream.Quote(column)
	}
	return fmt.Errorf("%s%s: %w", e.file, place, err)
}

// record checks the fields of one record and yields it.
func (e *emitter) record(place string, f fields) error {
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
		return e.fail(place, "", fmt.Errorf("more than %d texts: add fewer", e.o.Limits.Reviews))
	case e.left.TotalBytes < 0:
		return e.fail(place, "", fmt.Errorf("more than %d bytes of text: add less", e.o.Limits.TotalBytes))
	case int64(len(f[Text])) > e.o.Limits.ReviewBytes:
		return e.bad(place, RowError{Role: Text, What: stream.TooLong(e.o.Limits.ReviewBytes).Error()})
	}
	f[Label], f[Split] = strings.TrimSpace(f[Label]), strings.TrimSpace(f[Split])
	if e.o.Pairs {
		if f[Text] = strings.TrimSpace(f[Text]); int64(len(f[Label])) > e.o.Limits.ReviewBytes {
			return e.bad(place, RowError{Role: Label, What: stream.TooLong(e.o.Limits.ReviewBytes).Error()})
		}
	}
	if e.o.Unlabelled {
		f[Label] = ""
	} else if f[Label] == "" && !e.o.Asked && f[Split] == "" {
		return e.bad(place, RowError{Role: Label, What: "has no label", Fix: "add one, or move the text to a file for --unlabelled"})
	}
	if !e.o.Pairs {
		f[Label] = strings.TrimPrefix(f[Label], fastTextPrefix)
	}
	for role, s := range f {
		if err := check(s); err != nil {
			return e.bad(place, RowError{Role: role, What: err.Error()})
		}
	}
	spans, err := marked(f[Text], f[Rationale])
	if err != nil {
		return e.bad(place, RowError{Role: Rationale, What: err.Error()})
	}
	if !e.o.KeepEntities {
		var inText, inLabel bool
		f[Text], inText = decodeEntities(f[Text], spans)
		f[Label], inLabel = decodeEntities(f[Label], nil)
		if inText || inLabel {
			e.how.Entities++
		}
	}
	err = e.yield(Record{ID: f[ID], Split: f[Split], Label: f[Label], Text: f[Text], Where: e.file + place, Rationale: spans})
	if wrong, is := err.(*RowError); is {
		return e.bad(place, *wrong)
	}
	return err
}

// meter returns a reader that reports progress.
func (e *emitter) meter(r io.Reader, size int64) *stream.Meter {
	return &stream.Meter{Context: e.ctx, R: r, Total: size, Progress: e.o.Progress}
}

// check returns an error if s is not text.
func check(s string) error {
	return stream.NotText(s, "give --encoding latin1 or windows-1252 if it is that, or convert it with iconv -t UTF-8")
}

// RowError is an error of one row, behind which Read goes on to find others. A function that Read yields records to
// may return one.
type RowError struct {
	Role      int // whose field is wrong; Roles: the row
	What, Fix string

	file, at string // set by Read: at is the place in the file
}

func (e *RowError) Error() string { return e.file + e.text(true) }

// text describes the error within its file.
func (e *RowError) text(fix bool) string {
	if fix && e.Fix != "" {
		return e.at + ": " + e.What + ": " + e.Fix
	}
	return e.at + ": " + e.What
}

// mostWrong is how many wrong rows are reported at once.
const mostWrong = 5

// errEnough ends the reading of a file with wrong rows.
var errEnough = errors.New("enough")

// bad notes a wrong row. It returns an error if no other is looked for. A model's texts end at the first: the
// predictions of those before it are written.
func (e *emitter) bad(place string, err RowError) error {
	if err.Fix == "" {
		err.What, err.Fix, _ = strings.Cut(err.What, ": ") // as other errors are written
	}
	err.file, err.at = e.file, place
	if err.Role < Roles && e.how.Columns[err.Role] != "" {
		err.at += ", column " + stream.Quote(e.how.Columns[err.Role])
	}
	e.wrong = append(e.wrong, &err)
	if len(e.wrong) == mostWrong || e.o.Asked && !e.o.Pairs {
		return errEnough
	}
	return nil
}

// finish adds the wrong rows to the error that ended the reading, if any.
func (e *emitter) finish(err error) error {
	switch {
	case len(e.wrong) == 0 || errors.Is(err, context.Cause(e.ctx)) && e.ctx.Err() != nil:
		return err
	case len(e.wrong) == 1 && (err == nil || errors.Is(err, errEnough)):
		return e.wrong[0]
	}
	head := e.file + ": wrong rows:"
	if len(e.wrong) == mostWrong {
		head = fmt.Sprintf("%s: wrong rows, the first %d:", e.file, mostWrong)
	}
	lines := []string{head}
	said := map[string]bool{} // each advice once
	for _, w := range e.wrong {
		lines = append(lines, "  "+strings.TrimPrefix(w.text(!said[w.Fix]), ": "))
		said[w.Fix] = true
	}
	if err != nil && !errors.Is(err, errEnough) {
		lines = append(lines, "  "+strings.TrimPrefix(err.Error(), e.file+": "))
	}
	return errors.New(strings.Join(lines, "\n"))
}
