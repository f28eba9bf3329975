// Package run implements exp run.
package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

type options struct {
	force, dryRun bool
	jobs          parallel.Jobs
	every         time.Duration // between checkpoints inside an epoch
	search        searchFlags
	on            string // where to train
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
		SuggestFor: []string{"train"},
		Long: `Train experiments. Finished runs are skipped and interrupted ones resumed; with more
epochs a run continues.

key=value changes a setting (exp show NAME lists them); lists and ranges such as
lr=0.1,0.01 or seed=1..5 make a grid. FILE.yaml has "base: NAME" and lines
key: value, or is the config.yaml of a run. --search random samples settings and ranks
them on the validation split, without the test set.`,
		Example: `  exp run tme9-lstm
  exp run tme9-lstm optimizer=sgd seed=1..5
  exp run tme9 variant=original
  exp run tme9-values seed=1..5 lr=0.1,0.01 --jobs 2
  exp run tme9-lstm --search random --trials 40 lr=log:1e-4..1e-1 batch=16,32,64
  exp run tme9-simple lr=0.1,0.01 --dry-run`,
		Args: cli.Words(1, 0, "name an experiment: exp list shows them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.jobs.Given = cmd.Flags().Changed("workers")
			if err := o.check(cli.GivenFlags(cmd)); err != nil {
				return cli.Usage(err)
			}
			return run(cmd.Context(), a, args, o)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "train finished runs again")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be trained, with time and memory")
	cmd.Flags().DurationVar(&o.every, "checkpoint-every", 2*time.Minute, "time between checkpoints inside an epoch; 0: only at its end")
	cmd.Flags().IntVar(&o.jobs.N, "jobs", 1, "runs of a grid at a time, limited by cores and memory")
	o.search.register(cmd)
	cmd.Flags().StringVar(&o.on, "on", onHere, "where to train: here, or slurm (docs/slurm.md)")
	return cmd
}

var modes = []cli.Mode{
	{Takes: []string{"dry-run", "force", "checkpoint-every", "jobs"}},
	{Flags: []string{"search"}, Name: "--search " + random, Takes: []string{"trials", "halving", "dry-run", "force", "checkpoint-every", "jobs"}},
	{Flags: []string{"on"}, Name: "--on slurm", Takes: []string{"dry-run", "checkpoint-every"}},
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
		return errors.New("--on slurm gives each run the cores of slurm.yaml (cpus: 1); omit --workers")
	case o.jobs.N < 1:
		return fmt.Errorf("--jobs %d: want 1 or more", o.jobs.N)
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
	announce(a, plans, auto, chosen)
	for _, p := range plans {
		p.Announced = true
	}
	switch {
	case o.on == onSlurm:
		return runSlurm(ctx, a, r, plans, o.dryRun)
	case o.dryRun:
		return forecast(ctx, a, r, plans, o.jobs)
	case len(plans) > 1:
		return runGrid(ctx, a, r, plans, o.jobs)
	}
	return runOne(ctx, a, r, plans[0])
}

// announce prints the data of the plans, the settings that follow from them, and settings without effect.
func announce(a *cli.App, plans []*plan.Plan, auto plan.Auto, chosen []string) {
	a.Say(progress.DataLine(plans, auto))
	for _, text := range chosen {
		a.SayIndented(text, "  ", "    ")
	}
	for _, text := range plan.Idle(plans) {
		a.Say("note: " + text)
	}
}

// runOne trains one plan and shows the result.
func runOne(ctx context.Context, a *cli.App, r *training.Runner, p *plan.Plan) error {
	a.Say(p.Experiment.Name + ": " + p.Experiment.Shows)
	progress.Overrides(a.IO, p)
	w := progress.NewView(a.IO, []*plan.Plan{p}, nil)
	w.Watch(r)
	out, err := r.Run(ctx, p, w.Hooks(0))
	w.Stop()
	if cli.Done(ctx, err) {
		fmt.Fprintf(a.Err, "exp: stopped %s; the run folder is whole. Continue: %s\n", w.Stopped(0), cli.CommandLine(a.Args...))
		return cli.Reported(err)
	}
	if err != nil {
		return err
	}
	if out.Skipped {
		a.Printf("finished before: %s; --force trains it again\n", term.Line(out.Run.Path))
	}
	return showResult(ctx, a, r, out.Run)
}

// forecast prints what exp run would train, the time and the memory: exp run --dry-run. It reads the
// data, on which the IDs depend, trains each kind of run briefly and keeps nothing.
func forecast(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, j parallel.Jobs) error {
	atOnce, workers := j.Share(runtime.GOMAXPROCS(0), a.Workers, len(plans))
	runner := *r
	runner.Pool = ops.NewPool(workers)
	defer runner.Pool.Close()
	var stop func()
	r.Loader.Progress, r.Loader.Vectors, stop = progress.Watching(a.IO)
	costs := parallel.Costs{Runner: &runner, AtLeast: 300 * time.Millisecond} // of each kind of run
	labels := labelsOf(plans)
	t := term.NewTable(term.Left("run"), term.Left("id").Drop(3), term.Right("epochs"), term.Right("words/s").Drop(1), term.Right("time"),
		term.Right("memory").Drop(2), term.Left("action"))
	train, unknown, all, longest := 0, 0, 0.0, 0.0 // runs to train, those whose time is unknown; seconds
	shared := int64(0)                             // memory of the program with the data that the runs share
	for i, p := range plans {
		j, err := runner.Job(ctx, p)
		if err != nil {
			return err
		}
		if shared == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			shared = int64(m.Sys - m.HeapReleased)
		}
		action, done := actionOf(a, j)
		epochs, words, took, memory := fmt.Sprint(p.Run.Epochs), format.None, format.None, format.None
		if done < p.Run.Epochs {
			cost, err := costs.Of(ctx, j)
			if err != nil {
				return err
			}
			if train++; cost.Words == 0 {
				unknown++
				words, took, memory = "unknown", "unknown", "unknown"
			} else {
				seconds := parallel.Seconds(cost, &j.Config, done)
				all, longest = all+seconds, max(longest, seconds)
				words, took, memory = format.SI(cost.Words), "~"+format.Clock(seconds), format.Bytes(shared+cost.Bytes)
			}
			if cost.Passes > 0 { // a solver ends when it has converged
				epochs = fmt.Sprintf("~%d", cost.Passes)
			}
		}
		t.Add(labels[i], j.Config.ID, epochs, words, took, memory, action)
	}
	stop()
	t.Print(a.IO)
	if a.Terminal() && train > 0 {
		text := fmt.Sprintf("to train: %s, %d at a time, about %s", format.Counted(train, "run"), atOnce, format.Clock(max(longest, all/float64(atOnce))))
		if unknown > 0 {
			text += fmt.Sprintf(" (the time of %d is unknown)", unknown)
		}
		a.Say(text)
	}
	if len(plans) == 1 || a.Terminal() {
		progress.Overrides(a.IO, plans...)
	}
	return nil
}

// actionOf describes what exp run does about a job and returns how many of its epochs are done.
func actionOf(a *cli.App, j *training.Job) (action string, done int) {
	finished, err := j.Done()
	switch {
	case err != nil:
		return "fail: " + strings.ReplaceAll(err.Error(), "\n", " "), j.Config.Epochs()
	case finished:
		return "skip: finished", j.Config.Epochs()
	}
	found, err := runs.Lookup(j.Runner.Dir, &j.Config)
	switch {
	case j.Runner.Force && !errors.Is(err, fs.ErrNotExist):
		return "train again", 0
	case j.Runner.Force:
		return "train", 0
	case err == nil && found.Status.State == runs.Damaged:
		return "continue from the previous checkpoint: " + strings.ReplaceAll(found.Status.Message, "\n", " "), 0
	case err == nil && found.Status.State == runs.Unfinished:
		return fmt.Sprintf("continue after epoch %d", found.Status.Epoch), found.Status.Epoch
	}
	if shorter := runs.Shorter(j.Runner.Dir, &j.Config); shorter != nil {
		return fmt.Sprintf("continue from the %s of %s", format.Counted(shorter.Status.Epoch, "epoch"), shorter.Label()), shorter.Status.Epoch
	}
	return "train", 0
}
