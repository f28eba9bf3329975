package report

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
)

// What is printed for a claim trains on IMDB where the sample is at hand, too.
func TestClaimsCommand(t *testing.T) {
	t.Setenv("EXP_DATA", t.TempDir()) // nothing is installed
	a := &cli.App{IO: term.New(os.Stdout, os.Stderr, 0, false), Runs: "runs"}
	for words, want := range map[string]string{
		"run tme9-mean tme9-simple optimizer=adam": "run tme9-mean tme9-simple data=imdb optimizer=adam",
		"run tme9-lstm": "run tme9-lstm data=imdb",
		"run tme9-values attention=imposed attention.base=additive": "run tme9-values data=imdb attention=imposed 'attention.base=additive[data=imdb]'",
		"explain 4f2a91 --tests agreement --out explained":          "explain 4f2a91 --tests agreement --out explained",
	} {
		given := strings.Fields(words)
		require.Equal(t, cli.CommandLine()+" "+want, claimsCommand(a)(given...))
		require.Equal(t, words, strings.Join(given, " "), "they are the claims'")
	}
}
