// Package build is what exp run does while a model is being written: --smoke,
// --overfit and --find-lr. It keeps no run.
package build

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/picture"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments"
)

// Flags are the modes of exp run that help while a model is being written. They
// keep no run.
type Flags struct {
	smoke, overfit, findLR bool
	out                    string // of the figure of --find-lr
}

func AddFlags(cmd *cobra.Command, o *Flags) {
	f := cmd.Flags()
	f.BoolVar(&o.smoke, "smoke", false, "while building: two steps of everything, with checkpoint, resuming, evaluation and report, in a temporary folder")
	f.BoolVar(&o.overfit, "overfit", false, "while building: learn one batch by heart, or say which weights get no gradient")
	f.BoolVar(&o.findLR, "find-lr", false, "while building: draw the loss over a rising learning rate and suggest one")
	f.StringVar(&o.out, "out", "", "of --find-lr: file of the figure, .svg or .png; without an ending both")
}

func (o Flags) Any() bool { return o.smoke || o.overfit || o.findLR }

// Check refuses more than one mode; other says whether exp run is asked for anything
// else than training.
func (o Flags) Check(other bool) error {
	modes := 0
	for _, on := range []bool{o.smoke, o.overfit, o.findLR, other} {
		if on {
			modes++
		}
	}
	if modes > 1 {
		return errors.New("--smoke, --overfit, --find-lr, --search, --dry-run and --on slurm: one of them at a time")
	}
	if o.out != "" && !o.findLR {
		return errors.New("--out is of --find-lr")
	}
	if o.out != "" {
		_, err := picture.Files(o.out)
		return err
	}
	return nil
}

// Run carries out a mode for each plan.
func Run(ctx context.Context, a *cli.App, r *experiments.Runner, plans []*experiments.Plan, o Flags) error {
	if o.findLR && len(plans) > 1 {
		return cli.Usage(fmt.Errorf("--find-lr is of one run; given: %d", len(plans)))
	}
	labels := grid.Labels(plans)
	var failed error
	for i, p := range plans {
		var err error
		switch {
		case o.smoke:
			err = smoke(ctx, a, r, p, labels[i])
		case o.overfit:
			err = overfit(ctx, a, r, p, labels[i])
		default:
			err = findLR(ctx, a.IO, r, p, o.out)
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
