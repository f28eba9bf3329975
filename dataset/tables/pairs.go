package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Pair is a sentence with its translation.
type Pair struct {
	Source, Target string // valid UTF-8 without NUL or blanks around, may be empty
	Split          string // as written; "" without such a column
	Where          string // file and line, for messages
}

// pairNames are the columns of a file of pairs.
var pairNames = []string{"source", "target", "split"}

// ReadPairs reads a file of sentence pairs and yields them until yield returns an error or the
// context ends. The file is TSV or CSV with the columns source, target and optionally split, in
// that order or as named in a first line (also src and tgt, or two languages such as en and fr),
// or JSON lines with these keys. Other text is read as TSV. It uses the options Encoding,
// Limits and Progress.
func ReadPairs(ctx context.Context, file string, o Options, yield func(Pair) error) (How, error) {
	o = Options{Encoding: o.Encoding, Limits: o.Limits.orDefault(), Progress: o.Progress,
		TextColumn: pairNames[0], LabelColumn: pairNames[1], Asked: true, pairs: true}
	return Read(ctx, file, o, func(r Record) error {
		if int64(len(r.Label)) > o.Limits.RecordBytes {
			return fmt.Errorf("%s, column %q: %w", r.Where, pairNames[1], tooLong(o.Limits.RecordBytes))
		}
		return yield(Pair{strings.TrimSpace(r.Text), r.Label, strings.TrimSpace(r.ID), r.Where})
	})
}

// readPairTable yields the pairs of a table as Records: Label is the target, ID the split.
func readPairTable(e *emitter, format Format, in rows) (How, error) {
	how := How{Format: format, pairs: true}
	first, line, err := in.next()
	if err == io.EOF {
		return how, fmt.Errorf("%s: %w", e.file, errEmpty)
	}
	if err != nil {
		return how, err
	}
	at, named, err := pairColumns(first)
	if err != nil {
		return how, e.fail(place{unit: "line", number: line}, "", err)
	}
	width, split := len(first), at[2] >= 0
	for i, column := range []*string{&how.Text, &how.Label, &how.ID} {
		switch {
		case at[i] < 0:
		case named:
			*column = strings.TrimSpace(first[at[i]])
			how.Guessed = how.Guessed || !strings.EqualFold(*column, pairNames[i])
		default:
			*column = fmt.Sprintf("column %d", at[i]+1)
		}
	}
	fields := first
	if named {
		fields, line, err = in.next()
	}
	for ; err == nil; fields, line, err = in.next() {
		p := place{unit: "line", number: line}
		if len(fields) != width {
			return how, e.fail(p, "", fmt.Errorf("%d columns instead of %d: quote a sentence that holds the delimiter", len(fields), width))
		}
		r := Record{Text: fields[at[0]], Label: fields[at[1]]}
		if split {
			r.ID = fields[at[2]]
		}
		if err := e.record(p, how, r); err != nil {
			return how, err
		}
	}
	if err == io.EOF {
		err = nil
	}
	return how, err
}

// pairColumns returns the columns of source, target and split (-1 for none), and whether the
// first row names them.
func pairColumns(first []string) (at [3]int, named bool, err error) {
	for i, name := range pairNames {
		at[i] = slices.IndexFunc(first, func(f string) bool { return strings.EqualFold(strings.TrimSpace(f), name) })
	}
	if at[0] >= 0 && at[1] >= 0 {
		return at, true, nil
	}
	if len(first) == 2 || len(first) == 3 && at[2] == 2 {
		if source, target, ok := namedSides(first[0], first[1]); ok {
			return [3]int{source, target, at[2]}, true, nil
		}
	}
	switch {
	case len(first) == 2:
		return [3]int{0, 1, -1}, false, nil
	case len(first) == 3:
		return [3]int{0, 1, 2}, false, nil
	case len(first) == 1:
		return at, false, errors.New("a single column: put a tab between a sentence and its translation")
	}
	return at, false, fmt.Errorf("%d columns: keep the sentence, its translation and optionally train or test, or name them source, target and split in a first line", len(first))
}

// readPairLines reads one object per line.
func readPairLines(e *emitter, in *text) (How, error) {
	how := How{Format: JSONL, Text: pairNames[0], Label: pairNames[1], pairs: true}
	return how, in.each(func(line []byte) error {
		p := place{unit: "line", number: in.line}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return nil
		}
		if err := e.check(string(line)); err != nil { // package json would silently replace it
			return e.fail(p, "", err)
		}
		values, err := jsonValues(line, e.o.Limits.Columns, pairNames...)
		if err != nil {
			return e.fail(p, "", err)
		}
		var fields [3]string
		for i, name := range pairNames {
			v, there := values[name]
			if !there && i < 2 {
				return e.fail(p, name, errors.New("is missing in this object: add it, or remove the line"))
			}
			if there && json.Unmarshal(v, &fields[i]) != nil {
				return e.fail(p, name, fmt.Errorf("is not a string but %s: quote it", quote(string(v))))
			}
			if there && i == 2 {
				how.ID = name
			}
		}
		return e.record(p, how, Record{Text: fields[0], Label: fields[1], ID: fields[2]})
	})
}
