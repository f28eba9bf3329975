package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

const helpText = `Asks whether attention, or another score, explains what models say:
the tests of a debate.

tests
  agreement    Jain and Wallace 2019, section 4.1; Kendall 1945
               and others
  erasure      DeYoung 2020

Examples:
  exp explain tme9-lstm --tests agreement,erasure --reviews 0

Flags:
      --scores LIST   LIST of scores (default [attention,gradient,occlusion])
`

// Prose is filled anew, second columns stay columns, examples stay whole.
func TestHelpFits(t *testing.T) {
	require.Equal(t, helpText, fitted(helpText, 80))
	require.Equal(t, `Asks whether attention, or another
score, explains what models say: the
tests of a debate.

tests
  agreement    Jain and Wallace 2019,
               section 4.1; Kendall 1945
               and others
  erasure      DeYoung 2020

Examples:
  exp explain tme9-lstm --tests agreement,erasure --reviews 0

Flags:
      --scores LIST
          LIST of scores (default
          [attention, gradient,
          occlusion])
`, fitted(helpText, 40))
}

// The help of a command below the root fits a terminal, too; a pipe gets what is written.
func TestHelpOfCommands(t *testing.T) {
	long := strings.Repeat("words ", 40) + "end"
	for width, want := range map[int]int{0: len(long), 60: 60, 100: 100} {
		var out bytes.Buffer
		a := &App{IO: term.New(&out, &out, width, false)}
		root := &cobra.Command{Use: "exp"}
		root.AddCommand(&cobra.Command{Use: "run", Long: long, Run: func(*cobra.Command, []string) {}})
		root.SetOut(a.IO.Out)
		a.Help(root)
		for range 2 { // what was set for the first is put back
			out.Reset()
			root.SetArgs([]string{"run", "--help"})
			require.NoError(t, root.Execute())
			most := 0
			for line := range strings.SplitSeq(out.String(), "\n") {
				most = max(most, len(line))
			}
			require.LessOrEqual(t, most, want)
			require.Greater(t, most, want-10)
			require.Contains(t, out.String(), "-h, --help")
		}
	}
}
