package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
)

type runOptions struct {
	force, dryRun bool
	board         boardFlag
	jobs          jobFlags
	every         time.Duration // between checkpoints inside an epoch
	search        searchFlags
	build         buildFlags
	on            string // where it is trained
	slurm         slurmFlags

	ended func(parallel.Result) // hears of each run of a grid that has ended; may be nil
}

// Where exp run trains.
const (
	onHere  = "here"
	onSlurm = "slurm"
)

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run NAME|GROUP|FILE.yaml… [key=value…]",
		Short: "Train experiments",
		Long: `Train experiments.

A group runs every row of its experiments. FILE.yaml holds "base: tme9-lstm" and
differences as key: value, or is any run's config.yaml. key=value changes a
setting (exp show NAME lists them); lists (lr=0.1,0.01) and ranges (seed=1..5,
lr=log:1e-4..1e-1/4) make a grid.

What has finished is skipped, what was interrupted goes on from its last
checkpoint, and raising epochs goes on from the shorter run. Of a grid, --jobs
trains several at a time; what fails keeps none of the others from being trained,
and is told at the end by the exit code (1; 3 when runs have only diverged).

--search random draws --trials settings from lists and intervals, dropout=0..0.5 or
lr=log:1e-4..1e-1 (whole numbers where a setting takes no others), and ranks them on
the validation split; test is not looked at. --halving trains them briefly first.`,
		Example: `  exp run tme9-lstm
  exp run tme9-lstm optimizer=sgd seed=1..5
  exp run tme9 variant=original
  exp run tme9-values seed=1..5 lr=0.1,0.01 --jobs 2
  exp run tme9-lstm --search random --trials 40 lr=log:1e-4..1e-1 batch=16,32,64
  exp run tme9-simple lr=0.1,0.01 --dry-run`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("which experiment? %s lists them", a.command("list"))
			}
			return nil
		},
		ValidArgsFunction: a.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.jobs.given = cmd.Flags().Changed("workers")
			if err := o.check(); err != nil {
				return usage(err)
			}
			return a.run(cmd.Context(), args, o)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "train again what has finished")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be trained, for how long and with how much memory")
	cmd.Flags().DurationVar(&o.every, "checkpoint-every", 2*time.Minute, "keep a checkpoint inside an epoch this often too; 0 only at its end")
	addJobFlags(cmd, &o.jobs)
	addBoardFlag(cmd.Flags(), &o.board)
	addSearchFlags(cmd, &o.search)
	addBuildFlags(cmd, &o.build)
	cmd.Flags().StringVar(&o.on, "on", onHere, "where to train: here, or on slurm as one job array (docs/slurm.md)")
	cmd.RegisterFlagCompletionFunc("on", cobra.FixedCompletions([]string{onHere, onSlurm}, cobra.ShellCompDirectiveNoFileComp))
	addSlurmFlags(cmd, &o.slurm)
	return cmd
}

// check refuses flags that make no sense.
func (o runOptions) check() error {
	if o.jobs.jobs < 1 {
		return fmt.Errorf("--jobs %d: want 1 or more", o.jobs.jobs)
	}
	if o.every < 0 {
		return fmt.Errorf("--checkpoint-every %s: want a time such as 2m, or 0", o.every)
	}
	if err := errors.Join(o.search.check(), o.build.check(o.build.any() && (o.search.kind != "" || o.dryRun || o.on == onSlurm))); err != nil {
		return err
	}
	if o.search.kind != "" && o.on == onSlurm {
		return errors.New("--search is not for --on slurm: what is tried next may hang on what came out")
	}
	if o.on != onHere && o.on != onSlurm {
		return fmt.Errorf("--on %s: want here or slurm", o.on)
	}
	return nil
}

func (a *app) run(ctx context.Context, words []string, o runOptions) error {
	dir, auto, err := a.auto()
	if err != nil {
		return err
	}
	if o.search.kind != "" {
		return a.runSearch(ctx, dir, auto, words, o)
	}
	plans, err := plan.Resolve(words, auto.Data)
	if err != nil {
		return usage(err)
	}
	r, closePool := a.runner(dir)
	defer closePool()
	r.Force, r.CheckpointEvery = o.force, o.every
	a.printf("%s\n", a.wrap(dataLine(plans, auto), "", "  "))
	if o.build.any() {
		return a.build(ctx, r, plans, o.build)
	}
	if o.on == onSlurm {
		o.slurm.dryRun = o.dryRun
		return a.onSlurm(ctx, r, plans, o.slurm)
	}
	if o.dryRun {
		return a.dryRun(ctx, r, plans, o)
	}
	b := a.board(o.board)
	if len(plans) > 1 {
		return a.runGrid(ctx, r, plans, o, b)
	}
	return a.runOne(ctx, r, plans[0], b)
}

// dataLine says which data the plans use and why.
func dataLine(plans []*plan.Plan, auto plan.Auto) string {
	var parts []string
	for _, p := range plans {
		s, _ := p.Set.Get("data")
		why := auto.Why
		switch {
		case s.From != "default":
			why = "by " + s.From
		case p.Translates():
			why = "built in"
		}
		if part := fmt.Sprintf("%s (%s)", s.Value, why); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "data: " + strings.Join(parts, "; ")
}

// overrides prints what is not at its default and who set it.
func (a *app) overrides(p *plan.Plan) {
	for _, o := range p.Overrides() {
		a.printf("%s\n", a.wrap(o.From+": "+strings.Join(o.Assignments, " "), "  ", "    "))
	}
}

// train carries out a plan, shown by w and b.
func (a *app) train(ctx context.Context, r *training.Runner, p *plan.Plan, w *progress, b *board) (*training.Outcome, error) {
	r.Loader.Progress, r.Loader.Vectors = w.loading, w.training
	out, err := r.Run(ctx, p, b.hooks(w.hooks()))
	w.stop()
	if err == nil && out.Skipped {
		b.finished(out.Run)
	}
	return out, err
}

// runOne trains one plan and shows what came of it.
func (a *app) runOne(ctx context.Context, r *training.Runner, p *plan.Plan, b *board) error {
	a.printf("%s\n", a.wrap(p.Experiment.Name+": "+p.Experiment.Shows, "", "  "))
	a.overrides(p)
	w := newProgress(a.io, p, true)
	out, err := a.train(ctx, r, p, w, b)
	if done(ctx, err) {
		fmt.Fprintf(a.io.Err, "exp: %s; what is kept in the run's folder is whole. Go on: %s\n", w.stopped(), commandLine(a.args...))
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
