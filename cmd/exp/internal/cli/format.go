package cli

import (
	"io"

	"imdbexp/internal/term"
)

// Formats are the formats of a Printable.
var Formats = []string{"text", "md", "latex", "csv"}

// Printable is a result that can be printed in all formats of --format.
type Printable interface {
	Text(w io.Writer, width int, color bool) error
	Markdown(w io.Writer) error
	LaTeX(w io.Writer) error
	CSV(w io.Writer) error
}

// Print prints a result in a format.
func Print(t *term.IO, format string, p Printable) error {
	switch format {
	case "md":
		return p.Markdown(t.Out)
	case "latex":
		return p.LaTeX(t.Out)
	case "csv":
		return p.CSV(t.Verbatim())
	}
	return p.Text(t.Out, t.Width(), t.Color())
}
