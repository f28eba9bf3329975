package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// appendLines adds each value as a line of JSON.
func appendLines[T any](b []byte, values ...T) ([]byte, error) {
	for _, v := range values {
		line, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b = append(append(b, line...), '\n')
	}
	return b, nil
}

// errReplaced marks a file of lines that differs from what was written.
var errReplaced = errors.New("it was damaged or replaced")

// head reads the first length bytes of a file, or all of it if length is negative. If the
// file is shorter, or the bytes end inside a line, it returns what there is and an error
// (see IsDamage). A missing file is damage only if length is positive.
func (r *Run) head(name string, length int64) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	b, err := r.readText(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && length < 0:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &DamagedError{r.file(name), fmt.Errorf("it is missing (%w)", fs.ErrNotExist)}
	case err != nil || length < 0:
		return b, err
	case int64(len(b)) < length:
		return b, fmt.Errorf("%s: %d of its %d bytes are missing: %w", r.file(name), length-int64(len(b)), length, errReplaced)
	case b[length-1] != '\n':
		return b[:length], fmt.Errorf("%s: the %d bytes that the checkpoint covers end inside a line: %w, perhaps by a program that changes line endings", r.file(name), length, errReplaced)
	}
	return b[:length], nil
}

// CheckLines reads the lines that the last checkpoint covers. Lines that cannot be read, or
// belong to other epochs, are an error (see IsDamage).
func (r *Run) CheckLines() error {
	if r.progress.metrics < 0 { // the checkpoint itself is damaged
		return nil
	}
	return r.checkLines(r.progress, r.checkpoint.Epoch)
}

// checkLines checks the lines that a checkpoint of that epoch covers.
func (r *Run) checkLines(p progress, epoch int) error {
	metrics, err1 := linesOf[Metrics](r, MetricsFile, p.metrics)
	if err1 == nil {
		err1 = r.checkEpochs(metrics, epoch)
	}
	_, err2 := linesOf[Histogram](r, EntropyFile, p.entropy)
	return errors.Join(err1, err2)
}

// checkEpochs checks that there is one line for each epoch.
func (r *Run) checkEpochs(all []Metrics, epoch int) error {
	for i, m := range all {
		if m.Epoch != i+1 {
			return fmt.Errorf("%s:%d: epoch %d: %w", r.file(MetricsFile), i+1, m.Epoch, errReplaced)
		}
	}
	if len(all) != epoch {
		return fmt.Errorf("%s: %d lines for %d epochs: %w", r.file(MetricsFile), len(all), epoch, errReplaced)
	}
	return nil
}

// linesOf parses the first length bytes of a file. It returns the lines before an error
// with the error.
func linesOf[T any](r *Run, name string, length int64) ([]T, error) {
	text, err := r.head(name, length)
	values, parseErr := parseLines[T](r.file(name), text)
	return values, cmp.Or(err, parseErr)
}

// parseLines parses one JSON value per line. It skips a last line without a line ending,
// which is still being written.
func parseLines[T any](file string, b []byte) ([]T, error) {
	var values []T
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if !whole {
			return values, nil
		}
		var v T
		if err := parseLine(line, &v); err != nil {
			return values, fmt.Errorf("%s:%d: %w: %w", file, n, err, errReplaced)
		}
		values, b = append(values, v), rest
	}
}

// parseLine parses a line that appendLines has written. A key that is unknown, missing, twice
// there or written otherwise is an error.
func parseLine(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return err
	}
	written, err := json.Marshal(v)
	if err != nil || bytes.Equal(written, line) {
		return err
	}
	var found, known map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(line, &found), json.Unmarshal(written, &known)); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if _, is := known[key]; !is {
			return fmt.Errorf("unknown field %q; a newer version of exp may know it", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if _, is := found[key]; !is {
			return fmt.Errorf("the field %q is missing", key)
		}
	}
	return errors.New("it is not as exp writes it")
}
