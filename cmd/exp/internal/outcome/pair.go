package outcome

import (
	"fmt"

	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// pair shows one test pair with its translation: the first of a handy length that the
// run translates right, else the first.
func pair(io *term.IO, list runs.Translations) {
	if len(list) == 0 {
		return
	}
	t := modelview.TypicalPair(list)
	io.Say(fmt.Sprintf("pair %s, by beam search:", t.Pair), "", "  ")
	io.Printf("%s\n%s\n", io.Wrap(term.Visible(t.Source), "  ", "  "), io.Wrap(io.Paint(term.Bold, term.Visible(t.Beam)), "  ", "  "))
	if t.Beam != t.Reference {
		io.Say("reference: "+term.Visible(t.Reference), "  ", "    ")
	}
	io.Printf("\n")
}
