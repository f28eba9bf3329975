package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/internal/settings"
)

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
