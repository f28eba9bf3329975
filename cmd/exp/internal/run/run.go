// Package run is exp run: train experiments.
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
	"imdbexp/cmd/exp/internal/run/build"
	"imdbexp/cmd/exp/internal/run/forecast"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/cmd/exp/internal/run/search"
	"imdbexp/cmd/exp/internal/run/slurm"
	"imdbexp/cmd/exp/internal/tensorboard"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
)

type options struct {
	force, dryRun bool
	board         tensorboard.Flag
	jobs          grid.Jobs
	every         time.Duration // between checkpoints inside an epoch
	search        search.Flags
	build         build.Flags
	on            string // where it is trained
	slurm         slurm.Flags
}

// Where exp run trains.
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
		SuggestFor: []string{"train"},
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
				return fmt.Errorf("name an experiment: %s lists them", a.Command("list"))
			}
			return nil
		},
		ValidArgsFunction: a.CompleteRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.jobs.Given = cmd.Flags().Changed("workers")
			if err := o.check(cli.GivenFlags(cmd)); err != nil {
				return cli.Usage(err)
			}
			return run(cmd.Context(), a, args, o)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "train again what has finished")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be trained, for how long and with how much memory")
	cmd.Flags().DurationVar(&o.every, "checkpoint-every", 2*time.Minute, "keep a checkpoint inside an epoch this often too; 0 only at its end")
	o.jobs.Register(cmd)
	o.board.Register(cmd)
	o.search.Register(cmd)
	o.build.Register(cmd)
	cmd.Flags().StringVar(&o.on, "on", onHere, "where to train: here, or on slurm as one job array (docs/slurm.md)")
	cmd.RegisterFlagCompletionFunc("on", cobra.FixedCompletions([]string{onHere, onSlurm}, cobra.ShellCompDirectiveNoFileComp))
	o.slurm.Register(cmd)
	return cmd
}

// modes are what exp run can do with the runs that its words name.
var modes = append([]cli.Mode{
	{Takes: []string{"dry-run", "force", "checkpoint-every", "jobs", "fail-fast"}},
	search.Mode,
	{Flags: []string{"on"}, Name: "--on slurm", Takes: append([]string{"dry-run", "force", "checkpoint-every"}, slurm.FlagNames...), Lacks: map[string]string{
		"search":    "needs to know all runs in advance",
		"jobs":      "trains as many at a time as --slurm-at-once says",
		"fail-fast": "goes on with the other runs",
	}},
}, build.Modes...)

// check refuses flags that make no sense.
func (o *options) check(given func(flag string) bool) error {
	err := cli.CheckModes(func(flag string) bool { return given(flag) && (flag != "on" || o.on == onSlurm) }, modes)
	if err != nil {
		return err
	}
	if o.on == onSlurm && given("workers") {
		return errors.New("--on slurm gives each run the cores of --slurm-cpus; omit --workers")
	}
	if o.jobs.N < 1 {
		return fmt.Errorf("--jobs %d: want 1 or more", o.jobs.N)
	}
	if o.every < 0 {
		return fmt.Errorf("--checkpoint-every %s: want a time such as 2m, or 0", o.every)
	}
	if o.on != onHere && o.on != onSlurm {
		return fmt.Errorf("--on %s: want here or slurm", o.on)
	}
	return errors.Join(o.search.Check(), o.build.Check())
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
	if o.search.Kind != "" {
		return search.Run(ctx, a, r, auto, words, search.Options{Flags: o.search, DryRun: o.dryRun, Jobs: o.jobs, Board: o.board})
	}
	plans, err := plan.Resolve(ctx, words, auto.Data)
	if cli.Done(ctx, err) {
		return err
	}
	if err != nil {
		return cli.Usage(err)
	}
	chosen, err := plan.Adapt(ctx, dir, plans)
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
	tell(a, plans)
	if o.build.Any() {
		return build.Run(ctx, a, r, plans, o.build)
	}
	if o.on == onSlurm {
		o.slurm.DryRun = o.dryRun
		return slurm.Run(ctx, a, r, plans, o.slurm)
	}
	if o.dryRun {
		return forecast.Show(ctx, a, r, plans, o.jobs)
	}
	b := tensorboard.New(a, o.board)
	if len(plans) > 1 {
		return grid.Run(ctx, a, r, plans, grid.Options{Jobs: o.jobs, Board: b})
	}
	return runOne(ctx, a, r, plans[0], b)
}

// tell says what of the words does not do what it seems to.
func tell(a *cli.App, plans []*plan.Plan) {
	for _, text := range plan.Idle(plans) {
		a.Say("note: "+text, "", "  ")
	}
	if cores := grid.Cores(); a.Workers > cores {
		a.Say(fmt.Sprintf("note: --workers %d on %s take turns, which is no faster than --workers %d; results are the same",
			a.Workers, format.Counted(cores, "core"), cores), "", "  ")
	}
}

// train carries out a plan, shown by w and b.
func train(ctx context.Context, r *training.Runner, p *plan.Plan, w *progress.Run, b *tensorboard.Board) (*training.Outcome, error) {
	w.Watch(r)
	out, err := r.Run(ctx, p, b.Hooks(w.Hooks()))
	w.Stop()
	if err == nil && out.Skipped {
		b.Finished(out.Run)
	}
	return out, err
}

// runOne trains one plan and shows what came of it.
func runOne(ctx context.Context, a *cli.App, r *training.Runner, p *plan.Plan, b *tensorboard.Board) error {
	a.Say(p.Experiment.Name+": "+p.Experiment.Shows, "", "  ")
	progress.Overrides(a.IO, p)
	w := progress.NewRun(a.IO, p, true)
	out, err := train(ctx, r, p, w, b)
	if cli.Done(ctx, err) {
		fmt.Fprintf(a.IO.Err, "exp: %s; what is kept in the run's folder is whole. Go on: %s\n", w.Stopped(), cli.CommandLine(a.Args...))
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
