package tables

import (
	"fmt"
	"io"
	"strings"
)

// rows yields the rows of a table, each with the number of its first line. The
// fields are valid until the next call.
type rows interface {
	next() (fields []string, line int, err error)
}

// sampleRows and sampleBytes limit how much of a table without column names is read to
// find which of its two columns holds the labels.
const (
	sampleRows  = 1000
	sampleBytes = 1 << 20
)

type row struct {
	fields []string
	line   int
}

// header is what the first rows of a table say about its columns.
type header struct {
	columns columns
	named   bool  // the first row names the columns
	rows    []row // rows read so far that hold records
}

// readTable yields the records of a table.
func readTable(e *emitter, format Format, in rows) (How, error) {
	if e.o.pairs {
		return readPairTable(e, format, in)
	}
	how := How{Format: format}
	fields, line, err := in.next()
	if err == io.EOF {
		return how, fmt.Errorf("%s: %w", e.file, errEmpty)
	}
	if err != nil {
		return how, err
	}
	first := row{clone(fields), line}
	h, err := readHeader(first, in, e.o)
	if err != nil {
		return how, err
	}
	how.set(h.columns, func(i int) string {
		if h.named {
			return first.fields[i]
		}
		return fmt.Sprintf("column %d", i+1)
	})
	if e.o.Asked && len(fields) == 2 && how.Label == "" && how.ID == "" {
		how.Other = first.fields[1-h.columns[textColumn]]
	}
	emit := func(r row) error {
		p := place{unit: "line", number: r.line}
		if len(r.fields) != len(first.fields) {
			return e.fail(p, "", fmt.Errorf("%d columns instead of %d: quote a text that holds the delimiter", len(r.fields), len(first.fields)))
		}
		return e.record(p, how, h.columns.record(func(i int) string { return r.fields[i] }))
	}
	for _, r := range h.rows {
		if err := emit(r); err != nil {
			return how, err
		}
	}
	for {
		fields, line, err := in.next()
		if err == io.EOF {
			return how, nil
		}
		if err == nil {
			err = emit(row{fields, line})
		}
		if err != nil {
			return how, err
		}
	}
}

// readHeader decides whether the first row names the columns: it does if it has a given or a
// usual name. Two columns without such a name hold texts and labels.
func readHeader(first row, in rows, o Options) (h header, err error) {
	h.named = true
	h.columns, err = chooseColumns(first.fields, o)
	if isUnnamed(err) && len(first.fields) == 2 && !o.Unlabelled {
		h, err = headless(first, in)
	}
	if isUnnamed(err) && usual(first.fields, textNames) < 0 && usual(first.fields, labelNames) < 0 {
		err = fmt.Errorf("%w. If these are not names, add a header line", err)
	}
	return h, err
}

// headless reads the beginning of a table of two columns without names. The labels are in
// the column with fewer different values; a first row whose label occurs again is not a header.
func headless(first row, in rows) (h header, err error) {
	size := 0
	for len(h.rows) < sampleRows && size < sampleBytes {
		fields, line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return h, err
		}
		if len(fields) == 2 {
			size += len(fields[0]) + len(fields[1])
		}
		h.rows = append(h.rows, row{clone(fields), line})
	}
	values := [2]map[string]bool{{}, {}}
	for _, r := range h.rows {
		if len(r.fields) == 2 {
			values[0][strings.TrimSpace(r.fields[0])] = true
			values[1][strings.TrimSpace(r.fields[1])] = true
		}
	}
	label := 0
	switch a, b := len(values[0]), len(values[1]); {
	case a == b:
		return h, &columnError{"text", "", first.fields}
	case b < a:
		label = 1
	}
	h.columns = columns{1 - label, label, -1, -1, -1}
	if values[label][strings.TrimSpace(first.fields[label])] {
		h.rows = append([]row{first}, h.rows...)
	}
	return h, nil
}

func clone(fields []string) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = strings.Clone(f)
	}
	return out
}
