package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"imdbexp/internal/term"
	"imdbexp/runs"
)

// pair shows one test pair with its translation: the first of a handy length that the
// run translates right, else the first.
func (a *app) pair(run *runs.Run) {
	list, err := run.Translations()
	if err != nil || len(list) == 0 {
		if !errors.Is(err, fs.ErrNotExist) {
			a.warn(err) // the run is whole all the same
		}
		return
	}
	t := typicalPair(list)
	a.printf("%s\n", a.wrap(fmt.Sprintf("pair %s, by beam search:", t.Pair), "", "  "))
	a.printf("%s\n%s\n", a.wrap(printable(t.Source), "  ", "  "), a.wrap(a.io.Paint(term.Bold, printable(t.Beam)), "  ", "  "))
	if t.Beam != t.Reference {
		a.printf("%s\n", a.wrap("reference: "+printable(t.Reference), "  ", "    "))
	}
	a.printf("\n")
}

// typicalPair returns the first pair of six to ten words that is translated right,
// else the first.
func typicalPair(list []runs.Translation) runs.Translation {
	for _, t := range list {
		if n := len(strings.Fields(t.Source)); t.Beam == t.Reference && n >= 6 && n <= 10 {
			return t
		}
	}
	return list[0]
}
