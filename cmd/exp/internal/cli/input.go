package cli

import (
	"errors"
	"fmt"
	"io"

	"imdbexp/cmd/exp/internal/number"
	"imdbexp/internal/term"
)

// mostText bounds what is read from standard input.
const mostText = 1 << 20

// StandardInput reads all of it; more than so many bytes are an error.
func StandardInput(o *term.IO, most int64) ([]byte, error) {
	if o.In == nil {
		return nil, Usage(errors.New("there is no standard input to read"))
	}
	b, err := io.ReadAll(io.LimitReader(o.In, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("standard input: %w", err)
	case int64(len(b)) > most:
		return nil, fmt.Errorf("standard input: more than %s of text", number.Bytes(most))
	}
	return b, nil
}

// TypedText reads a text from standard input.
func TypedText(io *term.IO) (string, error) {
	b, err := StandardInput(io, mostText)
	return string(b), err
}
