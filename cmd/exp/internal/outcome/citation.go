package outcome

import (
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// Cite prints how to cite a run that has finished, behind indent.
func Cite(io *term.IO, run *runs.Run, indent string) {
	if c, err := run.Citation(); err == nil {
		io.Printf("%scite as %s\n", indent, term.Line(c.String()))
	}
}
