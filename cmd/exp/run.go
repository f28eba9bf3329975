package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/experiments"
)

type runOptions struct {
	force, dryRun bool
	board         boardFlag
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run NAME|GROUP|FILE.yaml… [key=value…]",
		Short: "Train experiments",
		Long: `Train experiments.

A group runs every row of its experiments. FILE.yaml holds "base: tme9-lstm" and
differences as key: value, or is any run's config.yaml. key=value changes a
setting (exp show NAME lists them); lists and ranges make a grid.

What has finished is skipped, what was interrupted goes on from its last whole
epoch, and raising epochs goes on from the shorter run.`,
		Example: `  exp run tme9-lstm
  exp run tme9-lstm optimizer=sgd seed=1..5
  exp run tme9 variant=original
  exp run tme9-simple lr=0.1,0.01 --dry-run`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("which experiment? %s lists them", a.command("list"))
			}
			return nil
		},
		ValidArgsFunction: a.completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args, o) },
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "train again what has finished")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be trained")
	addBoardFlag(cmd.Flags(), &o.board)
	return cmd
}

func (a *app) run(ctx context.Context, words []string, o runOptions) error {
	dir, auto, err := a.auto()
	if err != nil {
		return err
	}
	plans, err := experiments.Resolve(words, auto.Data)
	if err != nil {
		return usage(err)
	}
	r, closePool := a.runner(dir)
	defer closePool()
	r.Force = o.force
	a.printf("%s\n", a.wrap(dataLine(plans, auto), "", "  "))
	if o.dryRun {
		return a.dryRun(ctx, r, plans)
	}
	b := a.board(o.board)
	if len(plans) > 1 {
		return a.runGrid(ctx, r, plans, b)
	}
	return a.runOne(ctx, r, plans[0], b)
}

// dataLine says which data the plans use and why.
func dataLine(plans []*experiments.Plan, auto experiments.Auto) string {
	var parts []string
	for _, p := range plans {
		s, _ := p.Set.Get("data")
		why := auto.Why
		if s.From != "default" {
			why = "by " + s.From
		}
		if part := fmt.Sprintf("%s (%s)", s.Value, why); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "data: " + strings.Join(parts, "; ")
}

// overrides prints what is not at its default and who set it.
func (a *app) overrides(p *experiments.Plan) {
	for _, o := range p.Overrides() {
		a.printf("%s\n", a.wrap(o.From+": "+strings.Join(o.Assignments, " "), "  ", "    "))
	}
}

// train carries out a plan, shown by w and b.
func (a *app) train(ctx context.Context, r *experiments.Runner, p *experiments.Plan, w *progress, b *board) (*experiments.Outcome, error) {
	r.Loader.Progress, r.Loader.Vectors = w.loading, w.training
	out, err := r.Run(ctx, p, b.hooks(w.hooks()))
	w.stop()
	if err == nil && out.Skipped {
		b.finished(out.Run)
	}
	return out, err
}

// runOne trains one plan and shows what came of it.
func (a *app) runOne(ctx context.Context, r *experiments.Runner, p *experiments.Plan, b *board) error {
	a.printf("%s\n", a.wrap(p.Experiment.Name+": "+p.Experiment.Shows, "", "  "))
	a.overrides(p)
	w := newProgress(a.io, p, true)
	out, err := a.train(ctx, r, p, w, b)
	if done(ctx, err) {
		fmt.Fprintf(a.io.Err, "exp: stopped after epoch %d of %d; what is kept in the run's folder is whole. Go on: %s\n",
			w.epoch(), p.Run.Epochs, commandLine(a.args...))
		return reported{err}
	}
	if err != nil {
		return err
	}
	if out.Skipped {
		a.printf("finished before: %s; --force trains it again\n", out.Run.Path)
	}
	return a.outcome(ctx, r, out.Run)
}
