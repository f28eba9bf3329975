package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/internal/term"
)

// Call carries out another command within the one at hand.
func Call(ctx context.Context, cmd *cobra.Command, words ...string) error {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(words)
	return cmd.ExecuteContext(ctx)
}

// Next prints commands and what they are for.
func Next(io *term.IO, list [][2]string) {
	width := 0
	for _, l := range list {
		width = max(width, term.Width(l[0]))
	}
	io.Printf("next:\n")
	narrow := io.Width() > 0 && width+4+24 > io.Width()
	for _, l := range list {
		if narrow {
			io.Printf("  %s\n%s\n", l[0], io.Wrap(l[1], "      ", "      "))
			continue
		}
		io.Say(l[1], fmt.Sprintf("  %-*s  ", width, l[0]), strings.Repeat(" ", width+4))
	}
}

// OneOf lists choices as a sentence does: a, b or c.
func OneOf(choices []string) string {
	last := len(choices) - 1
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}
