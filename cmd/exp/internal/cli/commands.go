package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/internal/settings"
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

// OnlyCommands refuses words that are no command.
func OnlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q%s; %s --help lists all", args[0], settings.Nearest(args[0], names), cmd.CommandPath())
}

// NoWords refuses words behind a command that takes none.
func NoWords(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%q: %s takes no words but flags; %s --help lists them", args[0], cmd.CommandPath(), cmd.CommandPath())
}
