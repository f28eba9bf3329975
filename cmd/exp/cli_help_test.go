package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
)

// Examples come first, and prose fits the terminal; a pipe gets it as it is written.
func TestHelp(t *testing.T) {
	long := strings.Repeat("words ", 40) + "end"
	for width, want := range map[int]int{0: len(long), 60: 60, 100: 100} {
		var out bytes.Buffer
		a := &cli.App{IO: term.New(&out, &out, width, false)}
		root := &cobra.Command{Use: "exp"}
		run := &cobra.Command{Use: "run", Long: long + "\n\none  two\n", Example: "  exp run x", Run: func(*cobra.Command, []string) {}}
		run.Flags().Bool("force", false, strings.Repeat("help ", 10))
		root.AddCommand(run)
		root.SetOut(a.IO.Out)
		a.Help(root)
		root.SetArgs([]string{"run", "--help"})
		require.NoError(t, root.Execute())
		longest := 0
		for line := range strings.SplitSeq(out.String(), "\n") {
			longest = max(longest, len(line))
		}
		require.LessOrEqual(t, longest, want)
		text := out.String()
		require.Less(t, strings.Index(text, "exp run x"), strings.Index(text, "words words"))
		require.Contains(t, text, "\none  two\n")
		require.Contains(t, text, "--force")
	}
}
