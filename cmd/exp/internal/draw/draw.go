// Package draw is exp draw: a figure of the dot products of words.
package draw

import (
	"errors"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
)

// New returns exp draw.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Draw the dot products of words with their positions",
		Long: `Draw the dot products of words with their positions; exp report draws curves of runs.
docs/figures.md explains how to read them. --out FILE.svg or FILE.png writes that
format; without an ending both are written.`,
		Example: "  exp draw dots @last 'a great film'",
		Args:    cli.OnlyCommands,
		RunE: func(*cobra.Command, []string) error {
			return cli.Usage(errors.New("draw what? dots"))
		},
	}
	cmd.AddCommand(newDots(a))
	return cmd
}
