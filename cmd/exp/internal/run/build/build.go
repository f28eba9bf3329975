// Package build implements the modes of exp run that help to write a model: --overfit and --find-lr. They
// keep no run.
package build

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
)

// Flags selects a mode.
type Flags struct {
	overfit, findLR bool
	out             string // of the figure of --find-lr
}

// Register adds the flags.
func (o *Flags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.overfit, "overfit", false, "for new models: overfit one batch, or show the weights without a gradient")
	f.BoolVar(&o.findLR, "find-lr", false, "for new models: draw the loss over a rising learning rate and suggest one")
	f.StringVar(&o.out, "out", "", "with --find-lr: file of the figure, .svg or .png; without an extension both")
}

// Any reports whether a mode is selected.
func (o *Flags) Any() bool { return o.overfit || o.findLR }

// Modes are the modes for cli.CheckModes.
var Modes = []cli.Mode{{Flags: []string{"overfit"}}, {Flags: []string{"find-lr"}, Takes: []string{"out", "no-title"}}}

// Check returns an error for wrong values.
func (o *Flags) Check() error {
	if o.out == "" {
		return nil
	}
	_, err := cli.PictureFiles(o.out)
	return err
}

// Run runs the mode for each plan.
func Run(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, o Flags) error {
	if o.findLR && len(plans) > 1 {
		return cli.Usage(fmt.Errorf("--find-lr takes one run; given: %d", len(plans)))
	}
	labels := grid.Labels(plans)
	var failed error
	for i, p := range plans {
		var err error
		if o.findLR {
			err = findLR(ctx, a, r, p, o.out)
		} else {
			err = overfit(ctx, a, r, p, labels[i])
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil && len(plans) > 1 {
			fmt.Fprintf(a.IO.Err, "exp: %s: %v\n", labels[i], err)
			failed = cli.Reported(grid.Worst(failed, err))
		} else if err != nil {
			return err
		}
	}
	return failed
}
