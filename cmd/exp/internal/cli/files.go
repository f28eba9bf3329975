package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/term"
)

// WriteFile writes a file that the user has named, whole or not at all. The error
// says which file, and what is wrong with its name where that is the matter.
func WriteFile(path string, write func(io.Writer) error) error {
	err := fsx.WriteFile(path, write)
	if err == nil {
		return nil
	}
	if bad := Writable(path); bad != nil {
		return bad
	}
	return fmt.Errorf("%s is not written: %w", path, err)
}

// Writable says what is wrong with the name of a file that is to be written: it is a
// folder's, or in none. It is for asking before long work.
func Writable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is not written: it is a folder; name a file in it", path)
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not written: there is no folder %s; make it, or name another", path, dir)
	}
	return nil
}

// Ending refuses the name of a file that ends as another format than what is written into
// it: programs go by endings. A name without one, or with a number behind its last point
// (model-0.001), and - for the output, pass.
func Ending(flag, path string, endings ...string) error {
	ext := strings.ToLower(filepath.Ext(path))
	if path == "-" || len(ext) < 2 || !unicode.IsLetter(rune(ext[1])) || slices.Contains(endings, ext) {
		return nil
	}
	return Usage(fmt.Errorf("--%s %s: use an ending of %s, or none", flag, path, OneOf(endings)))
}

// WriteTo is WriteFile, or writes to standard output where path is "" or -, byte by
// byte into a pipe.
func WriteTo(o *term.IO, path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(o.Verbatim())
	}
	return WriteFile(path, write)
}

// NotOnto refuses to write to one of the files that are read: it would be gone.
func NotOnto(out string, read ...string) error {
	at, err := os.Stat(out)
	if out == "" || out == "-" || err != nil {
		return nil
	}
	for _, name := range read {
		if of, err := os.Stat(name); err == nil && os.SameFile(at, of) {
			return Usage(fmt.Errorf("--out %s is the file that is read, which would be gone: name another", out))
		}
	}
	return nil
}

// BytesTo is for writeFile what is there already.
func BytesTo(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

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
		return nil, fmt.Errorf("standard input: more than %s of text", format.Bytes(most))
	}
	return b, nil
}

// TypedText reads a text from standard input.
func TypedText(io *term.IO) (string, error) {
	b, err := StandardInput(io, mostText)
	return string(b), err
}
