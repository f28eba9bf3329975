package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"imdbexp/dataset/internal/stream"
)

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
func (e *emitter) bad(p place, names [Roles]string, err RowError) error {
	err.file, err.at = e.file, strings.TrimPrefix(e.at(p), e.file)
	if err.Role < Roles && names[err.Role] != "" {
		err.at += ", column " + stream.Quote(names[err.Role])
	}
	e.wrong = append(e.wrong, &err)
	if len(e.wrong) == mostWrong || e.o.Asked && !e.o.pairs {
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
