package report

import (
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
)

// claimsCommand returns the command for runs that claims need. Claims are about IMDB: if IMDB is not
// the default data set, the command names it.
func claimsCommand(a *cli.App) func(words ...string) string {
	if _, auto, err := a.Auto(); err == nil && auto.Data == "imdb" {
		return a.Command
	}
	return func(words ...string) string {
		if words[0] == "run" {
			words = onIMDB(words)
		}
		return a.Command(words...)
	}
}

// onIMDB adds data=imdb to the settings of exp run, and to the run whose attention or weights are used.
func onIMDB(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if strings.HasPrefix(w, "attention.base=") || strings.HasPrefix(w, "init=") {
			out[i] = w + "[data=imdb]"
		}
	}
	first := slices.IndexFunc(out, func(w string) bool { return strings.Contains(w, "=") })
	if first < 0 {
		first = len(out)
	}
	return slices.Insert(out, first, "data=imdb")
}
