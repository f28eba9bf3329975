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
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() { // a pipe of the shell's: <(zcat reviews.csv.Z)
		f, err := os.Open(name)
		if err != nil {
			return tables.How{}, err
		}
		defer f.Close()
		return tables.ReadFrom(ctx, f, name, o, record)
	}
	return tables.Read(ctx, name, o, record)
}

// typing reports whether somebody types the input.
func typing(io *term.IO) bool {
	f, ok := io.In.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}
