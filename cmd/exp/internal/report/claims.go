package report

import (
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
)

// claimsCommand returns what to type for the words that claims miss. They speak of IMDB:
// where that is not what is trained on when nobody says, the words do.
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

// onIMDB adds data=imdb to the settings of exp run, and to the name of the run that attention
// is taken from: of that, too, the name alone means the data at hand.
func onIMDB(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if strings.HasPrefix(w, "attention.base=") {
			out[i] = w + "[data=imdb]"
		}
	}
	first := slices.IndexFunc(out, func(w string) bool { return strings.Contains(w, "=") })
	if first < 0 {
		first = len(out)
	}
	return slices.Insert(out, first, "data=imdb")
}
