// Package draw is exp draw: figures of positions, dot products and cost.
package draw

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
)

// New returns exp draw.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Draw figures about attention: positions, dot products, cost",
		Long: `Draw figures about attention; exp report --out FOLDER draws the curves of runs.
docs/figures.md explains how to read them. --out FILE.svg or FILE.png writes that
format; without an ending both are written.`,
		Example: "  exp draw encodings\n  exp draw dots @last 'a great film'\n  exp draw time --lengths 64,256,1024",
		Args:    cli.OnlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Usage(fmt.Errorf("draw what? %s", strings.Join(drawings(cmd), ", ")))
		},
	}
	cmd.AddCommand(newEncodings(a), newDots(a), newTime(a))
	return cmd
}

func drawings(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		out = append(out, c.Name())
	}
	return out
}
