package cli

import (
	"io"

	"imdbexp/internal/term"
)

// Formats are those of every Printable.
var Formats = []string{"text", "md", "csv"}

// Printable is what a command shows in the format that --format asks for.
type Printable interface {
	Text(w io.Writer, width int, color bool) error
	Markdown(w io.Writer) error
	CSV(w io.Writer) error
}

// Print writes to the output.
func Print(t *term.IO, format string, p Printable) error {
	switch format {
	case "md":
		return p.Markdown(t.Out)
	case "csv":
		return p.CSV(t.Verbatim())
	}
	return p.Text(t.Out, t.Width(), t.Color())
}
