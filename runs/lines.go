package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

var errShort = errors.New("it was damaged or replaced")

// head reads the first length bytes of a file, all of it for a negative length. A
// file that is shorter is an error (see IsDamage), returned with what there is. It
// need not exist where no length of it is asked for.
func (r *Run) head(name string, length int64) ([]byte, error) {
	b, err := r.readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && length <= 0:
		return nil, nil
	case err != nil || length < 0:
		return b, err
	case int64(len(b)) < length:
		return b, fmt.Errorf("%s: %d of its %d bytes are missing: %w", r.file(name), length-int64(len(b)), length, errShort)
	}
	return b[:length], nil
}

// parseLines reads JSON, one value a line; a last line without its end is being
// written and passed over.
func parseLines[T any](file string, b []byte) ([]T, error) {
	var values []T
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if !whole {
			return values, nil
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return values, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		values, b = append(values, v), rest
	}
}
