// Package run implements exp run.
package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/outcome"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
)

type options struct {
	force, dryRun bool
	jobs          jobs
	every         time.Duration // between checkpoints inside an epoch
	search        searchFlags
	on            string // where to train
	slurm         slurmFlags
}

// Places to train.
const (
	onHere  = "here"
	onSlurm = "slurm"
)

// New returns exp run.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:        "run NAME|GROUP|FILE.yaml… [key=value…]",
		Short:      "Train experiments",
		SuggestFor: []string{"train", "bench"},
		Long: `Train experiments.

key=value changes a setting (exp show NAME lists them); lists and ranges such as
seed=1..5 or lr=log:1e-4..1e-1/4 make a grid. A group trains each row of its
experiments. FILE.yaml has "base: NAME" and lines key: value, or is the config.yaml
of a run.

Finished runs are skipped and interrupted ones resumed; with more epochs a run
continues. --search random samples settings from lists and intervals and ranks them
on the validation split, without the test set; exp report --out FOLDER then draws which
settings mattered.`,
		Example: `  exp run tme9-lstm
  exp run tme9-lstm optimizer=sgd seed=1..5
  exp run tme9 variant=original
  exp run tme9-values seed=1..5 lr=0.1,0.01 --jobs 2
  exp run tme9-lstm --search random --trials 40 lr=log:1e-4..1e-1 batch=16,32,64
  exp run tme9-simple lr=0.1,0.01 --dry-run`,
		Args:              cli.Words(1, 0, "name an experiment: exp list shows them"),
		ValidArgsFunction: a.CompleteRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.jobs.given = cmd.Flags().Changed("workers")
			if err := o.check(cli.GivenFlags(cmd)); err != nil {
				return cli.Usage(err)
			}
			return run(cmd.Context(), a, args, o)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "train finished runs again")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be trained, with time and memory")
	cmd.Flags().DurationVar(&o.every, "checkpoint-every", 2*time.Minute, "time between checkpoints inside an epoch; 0: only at its end")
	cmd.Flags().IntVar(&o.jobs.n, "jobs", 1, "runs of a grid at a time, limited by cores and memory")
	o.search.register(cmd)
	cmd.Flags().StringVar(&o.on, "on", onHere, "where to train: here, or slurm (docs/slurm.md)")
	o.slurm.register(cmd)
	return cmd
}

var modes = []cli.Mode{
	{Takes: []string{"dry-run", "force", "checkpoint-every", "jobs"}},
	{Flags: []string{"search"}, Name: "--search " + random, Takes: []string{"trials", "halving", "search-by", "dry-run", "force", "checkpoint-every", "jobs"}},
	{Flags: []string{"on"}, Name: "--on slurm", Takes: append([]string{"dry-run", "force", "checkpoint-every"}, slurmFlagNames...)},
}

func (o *options) check(given func(flag string) bool) error {
	if o.on == onSlurm && given("search") {
		return errors.New("--on slurm needs to know all runs in advance: omit --search")
	}
	err := cli.CheckModes(func(flag string) bool { return given(flag) && (flag != "on" || o.on == onSlurm) }, modes)
	switch {
	case err != nil:
		return err
	case o.on == onSlurm && given("workers"):
		return errors.New("--on slurm gives each run the cores of --slurm-cpus; omit --workers")
	case o.jobs.n < 1:
		return fmt.Errorf("--jobs %d: want 1 or more", o.jobs.n)
	case o.every < 0:
		return fmt.Errorf("--checkpoint-every %s: use a time such as 2m, or 0", o.every)
	case o.on != onHere && o.on != onSlurm:
		return fmt.Errorf("--on %s: want here or slurm", o.on)
	}
	return o.search.check()
}

func run(ctx context.Context, a *cli.App, words []string, o options) error {
	if err := settings.Twice(words); err != nil {
		return cli.Usage(err)
	}
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	r, closePool := a.Runner(dir)
	defer closePool()
	r.Force, r.CheckpointEvery = o.force, o.every
	if o.search.kind != "" {
		return runSearch(ctx, a, r, auto, words, o)
	}
	plans, err := plan.Resolve(ctx, words, auto.Data)
	if cli.Done(ctx, err) {
		return err
	}
	if err != nil {
		return cli.Usage(err)
	}
	chosen, err := (&plan.Adapter{Dir: dir}).Adapt(ctx, plans)
	if err != nil {
		return err
	}
	a.Say(progress.DataLine(plans, auto), "", "  ")
	for _, text := range chosen {
		a.Say(text, "  ", "    ")
	}
	for _, p := range plans {
		p.Announced = true
	}
	for _, text := range plan.Idle(plans) {
		a.Say("note: "+text, "", "  ")
	}
	if cores := cores(); a.Workers > cores {
		a.Say(fmt.Sprintf("note: --workers %d on %s take turns, which is no faster than --workers %d; results are the same",
			a.Workers, format.Counted(cores, "core"), cores), "", "  ")
	}
	switch {
	case o.on == onSlurm:
		return runSlurm(ctx, a, r, plans, o)
	case o.dryRun:
		return forecast(ctx, a, r, plans, o.jobs)
	case len(plans) > 1:
		return runGrid(ctx, a, r, plans, o.jobs)
	}
	return runOne(ctx, a, r, plans[0])
}

// runOne trains one plan and shows the result.
func runOne(ctx context.Context, a *cli.App, r *training.Runner, p *plan.Plan) error {
	a.Say(p.Experiment.Name+": "+p.Experiment.Shows, "", "  ")
	progress.Overrides(a.IO, p)
	w := progress.NewView(a.IO, []*plan.Plan{p}, nil)
	w.Watch(r)
	out, err := r.Run(ctx, p, w.Hooks(0))
	w.Stop()
	if cli.Done(ctx, err) {
		fmt.Fprintf(a.IO.Err, "exp: stopped %s; the run folder is whole. Continue: %s\n", w.Stopped(0), cli.CommandLine(a.Args...))
		return cli.Reported(err)
	}
	if err != nil {
		return err
	}
	if out.Skipped {
		a.Printf("finished before: %s; --force trains it again\n", term.Line(out.Run.Path))
	}
	return outcome.Show(ctx, a, r, out.Run)
}
