package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"imdbexp/internal/fsx"
)

// maxLines bounds the files of lines; a thousand epochs have some 3 MB.
const maxLines = 1 << 28

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

// readLines reads the first length bytes of a file of lines (all whole lines for
// a negative length). Lines before an error are returned with it.
func readLines[T any](path string, length int64) ([]T, error) {
	b, err := fsx.ReadFile(path, maxLines)
	if err != nil {
		return nil, err
	}
	if int64(len(b)) < length {
		err = fmt.Errorf("%s: %d of its %d bytes are missing: it was damaged or replaced", path, length-int64(len(b)), length)
	} else if length >= 0 {
		b = b[:length]
	}
	values, parseErr := parseLines[T](filepath.Base(path), b)
	if parseErr != nil {
		err = parseErr
	}
	return values, err
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
