package outcome

import (
	"errors"
	"fmt"
	"io/fs"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/texts"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// pair shows one test pair with its translation: the first of a handy length that the
// run translates right, else the first.
func pair(a *cli.App, run *runs.Run) {
	list, err := run.Translations()
	if err != nil || len(list) == 0 {
		if !errors.Is(err, fs.ErrNotExist) {
			a.Warn(err) // the run is whole all the same
		}
		return
	}
	t := texts.TypicalPair(list)
	a.Say(fmt.Sprintf("pair %s, by beam search:", t.Pair), "", "  ")
	a.Printf("%s\n%s\n", a.Wrap(texts.Printable(t.Source), "  ", "  "), a.Wrap(a.IO.Paint(term.Bold, texts.Printable(t.Beam)), "  ", "  "))
	if t.Beam != t.Reference {
		a.Say("reference: "+texts.Printable(t.Reference), "  ", "    ")
	}
	a.Printf("\n")
}
