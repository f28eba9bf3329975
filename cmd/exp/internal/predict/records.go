package predict

import (
	"context"
	"fmt"
	"os"

	"imdbexp/dataset/tables"
	"imdbexp/internal/term"
)

// records reads the records of a file, or of standard input (-). what names them for a user
// who types them.
func records(ctx context.Context, io *term.IO, name, what string, o tables.Options, record func(tables.Record) error) (tables.How, error) {
	if name == "-" {
		if io.Typed() {
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

// flowing reports whether a name can be read only once: standard input (-), or a pipe such
// as <(zcat reviews.csv.Z).
func flowing(name string) bool {
	if name == "-" {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
