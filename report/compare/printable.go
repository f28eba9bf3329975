package compare

import "io"

// Printable is what commands show as text, Markdown and CSV.
type Printable interface {
	Text(w io.Writer, width int, color bool) error
	Markdown(w io.Writer) error
	CSV(w io.Writer) error
}
