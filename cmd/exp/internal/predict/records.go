package predict

import (
	"context"
	"fmt"
	"os"

	xterm "golang.org/x/term"

	"imdbexp/dataset/tables"
	"imdbexp/internal/term"
)

// records reads a file, or standard input (-), and yields its records, which are called
// what to who types them.
func records(ctx context.Context, io *term.IO, name, what string, o tables.Options, record func(tables.Record) error) (tables.How, error) {
	if name == "-" {
		if typing(io) {
			fmt.Fprintf(io.Err, "exp: reading %s from the terminal, one a line; Ctrl-D ends\n", what)
		}
		return tables.ReadFrom(ctx, io.In, "standard input", o, record)
	}
	if flowing(name) {
		f, err := os.Open(name)
		if err != nil {
			return tables.How{}, err
		}
		defer f.Close()
		return tables.ReadFrom(ctx, f, name, o, record)
	}
	return tables.Read(ctx, name, o, record)
}

// flowing reports whether a name is that of something that can be read only once: standard
// input (-), or a pipe of the shell's, such as <(zcat reviews.csv.Z).
func flowing(name string) bool {
	if name == "-" {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// typing reports whether somebody types the input.
func typing(io *term.IO) bool {
	f, ok := io.In.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}
