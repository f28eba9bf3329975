package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
)

// buildFlags are the modes of exp run that help while a model is being written. They
// keep no run.
type buildFlags struct {
	smoke, overfit, findLR bool
	out                    string // of the figure of --find-lr
}

func addBuildFlags(cmd *cobra.Command, o *buildFlags) {
	f := cmd.Flags()
	f.BoolVar(&o.smoke, "smoke", false, "while building: two steps of everything, with checkpoint, resuming, evaluation and report, in a temporary folder")
	f.BoolVar(&o.overfit, "overfit", false, "while building: learn one batch by heart, or say which weights get no gradient")
	f.BoolVar(&o.findLR, "find-lr", false, "while building: draw the loss over a rising learning rate and suggest one")
	f.StringVar(&o.out, "out", "", "of --find-lr: file of the figure, .svg or .png; without an ending both")
}

func (o buildFlags) any() bool { return o.smoke || o.overfit || o.findLR }

// check refuses more than one mode; other says whether exp run is asked for anything
// else than training.
func (o buildFlags) check(other bool) error {
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
		_, err := files(o.out)
		return err
	}
	return nil
}

// build carries out a mode for each plan.
func (a *app) build(ctx context.Context, r *training.Runner, plans []*plan.Plan, o buildFlags) error {
	if o.findLR && len(plans) > 1 {
		return usage(fmt.Errorf("--find-lr is of one run; given: %d", len(plans)))
	}
	labels := gridLabels(plans)
	var failed error
	for i, p := range plans {
		var err error
		switch {
		case o.smoke:
			err = a.smoke(ctx, r, p, labels[i])
		case o.overfit:
			err = a.overfit(ctx, r, p, labels[i])
		default:
			err = a.findLR(ctx, r, p, o.out)
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil && len(plans) > 1 {
			fmt.Fprintf(a.io.Err, "exp: %s: %v\n", labels[i], err)
			failed = reported{worst(failed, err)}
		} else if err != nil {
			return err
		}
	}
	return failed
}
