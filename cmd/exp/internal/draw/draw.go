// Package draw is exp draw: figures of positions, dot products, cost and scale.
package draw

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// New returns exp draw.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Draw figures about attention: positions, dot products, cost, scale",
		Long: `Draw figures about attention; exp report --out FOLDER draws the curves of runs.
docs/figures.md explains how to read them. --out FILE.svg or FILE.png writes that
format; without an ending both are written.`,
		Example: "  exp draw encodings\n  exp draw dots @last 'a great film'\n  exp draw time --lengths 64,256,1024\n  exp draw scale",
		Args:    cli.OnlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Usage(fmt.Errorf("draw what? %s", strings.Join(drawings(cmd), ", ")))
		},
	}
	cmd.AddCommand(newEncodings(a), newDots(a), newTime(a), newScale(a))
	return cmd
}

func drawings(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		out = append(out, c.Name())
	}
	return out
}

func newScale(a *cli.App) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "scale [RUN RUN]",
		Short: "Draw what dividing scores by √k does to entropy and gradient",
		Long: `Draw the entropy of the attention (mean over heads) and the norm of the gradient over the
epochs of two runs, one with scale=sqrt_k and one with scale=none. By default these are
runs of tme10-self.`,
		Example: "  exp draw scale\n  exp draw scale 'tme10-self[scale=sqrt_k]' 'tme10-self[scale=none]' --out scale.svg",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return errors.New("give two runs, or none for those of tme10-self")
			}
			return nil
		},
		ValidArgsFunction: a.CompleteRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return drawScale(a, args, out) },
	}
	a.PictureFlag(cmd, &out)
	return cmd
}

func drawScale(a *cli.App, refs []string, out string) error {
	if len(refs) == 0 {
		refs = []string{"tme10-self[scale=sqrt_k]", "tme10-self[scale=none]"}
	}
	var pair [2]*runs.Run
	for i, ref := range refs {
		var err error
		if pair[i], err = a.RunOf(ref); err != nil {
			return fmt.Errorf("%w; these two make a pair: %s", err, a.Command("run", "tme10-self", "scale=sqrt_k,none"))
		}
	}
	f, err := figures.Pair("scale", pair[0], pair[1])
	if err != nil {
		return err
	}
	return a.WritePicture(f, canvas.Page, out,
		"Scores of width k have a variance of about k. Without the division the softmax is sharper, its entropy lower, and its gradient changes.")
}
