package tables

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// rows yields the rows of a table, each with the number of its first line. The
// fields hold until the next call.
type rows interface {
	next() (fields []string, line int, err error)
}

// sampleRows and sampleBytes are how much of a table without known names in its
// first row is looked at to tell which of its two columns holds the labels.
const (
	sampleRows  = 1000
	sampleBytes = 1 << 20
)

type row struct {
	fields []string
	line   int
}

// readTable yields the records of a table.
func readTable(e *emitter, format Format, in rows) (How, error) {
	if e.o.pairs {
		return readPairTable(e, format, in)
	}
	how := How{Format: format}
	first, line, err := in.next()
	if err == io.EOF {
		return how, fmt.Errorf("%s: %w", e.file, errEmpty)
	}
	if err != nil {
		return how, err
	}
	var seen []row
	text, label, err := choose(first, e.o)
	if unnamed := new(columnError); errors.As(err, &unnamed) && unnamed.wanted == "" && len(first) == 2 && !e.o.Unlabelled {
		seen, text, label, err = headless(row{clone(first), line}, in)
		how.Text, how.Label = fmt.Sprintf("column %d", text+1), fmt.Sprintf("column %d", label+1)
	}
	if unnamed := new(columnError); errors.As(err, &unnamed) && unnamed.wanted == "" && usual(first, textNames) < 0 && usual(first, labelNames) < 0 {
		err = fmt.Errorf("%w. If these are no names, the header line is missing: put one before them", err)
	}
	if err != nil {
		return how, err
	}
	id, rationale, split := -1, -1, -1
	if how.Text == "" {
		if id, err = chooseID(first, e.o); err != nil {
			return how, err
		}
		if id >= 0 {
			how.ID = first[id]
		}
		if rationale, err = chooseRationale(first, e.o); err != nil {
			return how, err
		}
		if rationale >= 0 {
			how.Rationale = first[rationale]
		}
		if split = chooseSplit(first, e.o); split >= 0 {
			how.Split = first[split]
		}
		how.Text = first[text]
		if label >= 0 {
			how.Label = first[label]
		}
		if e.o.Asked && len(first) == 2 && label < 0 && id < 0 {
			how.Other = first[1-text]
		}
	}
	width := len(first)
	emit := func(fields []string, line int) error {
		if len(fields) != width {
			return e.fail(place{unit: "line", number: line}, "", fmt.Errorf("%d columns instead of %d: quote a text that holds the delimiter", len(fields), width))
		}
		r := Record{Text: fields[text]}
		if label >= 0 {
			r.Label = fields[label]
		}
		if id >= 0 {
			r.ID = fields[id]
		}
		if rationale >= 0 {
			r.rationale = fields[rationale]
		}
		if split >= 0 {
			r.Split = fields[split]
		}
		return e.record(place{unit: "line", number: line}, how, r)
	}
	for _, r := range seen {
		if err := emit(r.fields, r.line); err != nil {
			return how, err
		}
	}
	for {
		fields, line, err := in.next()
		if err == io.EOF {
			return how, nil
		}
		if err == nil {
			err = emit(fields, line)
		}
		if err != nil {
			return how, err
		}
	}
}

// headless reads on from the first row of two columns without known names. The
// labels are in the column with fewer different values; a first row whose label
// comes again is no header. It returns the rows to begin with.
func headless(first row, in rows) (seen []row, text, label int, err error) {
	size := 0
	for len(seen) < sampleRows && size < sampleBytes {
		fields, line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, 0, err
		}
		if len(fields) == 2 {
			size += len(fields[0]) + len(fields[1])
		}
		seen = append(seen, row{clone(fields), line})
	}
	var values [2]map[string]bool
	for c := range values {
		values[c] = map[string]bool{}
		for _, r := range seen {
			if len(r.fields) == 2 {
				values[c][strings.TrimSpace(r.fields[c])] = true
			}
		}
	}
	switch a, b := len(values[0]), len(values[1]); {
	case a < b:
		text, label = 1, 0
	case b < a:
		text, label = 0, 1
	default:
		return nil, 0, 0, &columnError{"text", "", first.fields}
	}
	if values[label][strings.TrimSpace(first.fields[label])] {
		seen = append([]row{first}, seen...)
	}
	return seen, text, label, nil
}

func clone(fields []string) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = strings.Clone(f)
	}
	return out
}
