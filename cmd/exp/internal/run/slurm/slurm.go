// Package slurm implements exp run --on slurm: it trains a grid as one job array.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
)

// Run trains plans as one job array: it submits the runs that are neither finished nor in the
// queue, follows them, and prints the table. The same command follows them again.
func Run(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, o Flags) error {
	if r.Force {
		return cli.Usage(errors.New("--force cannot go with --on slurm: a requeued run would start again; remove the runs first"))
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	s, err := newArray(ctx, a, r, plans)
	if err != nil {
		return err
	}
	s.options = options
	script, err := s.script(slurm.Folder(a.Runs, s.names))
	if err != nil {
		return err
	}
	if o.DryRun {
		for i, w := range s.words {
			s.Printf("task %d: exp run %s\n", i, w)
		}
		s.Printf("\n%s", script)
		return nil
	}
	if exp, _ := os.Executable(); options.Exp == "" && strings.Contains(filepath.ToSlash(exp), "/go-build") {
		return errors.New("go run removes its program when it ends: build exp first (go build ./cmd/exp) and use that for --on slurm")
	}
	if s.grid, err = slurm.Open(a.Runs, s.names, s.words); err != nil {
		return err
	}
	grid.PrintOverrides(a.IO, plans)
	if err := s.begin(ctx, script); err != nil {
		return err
	}
	return s.follow(ctx, o.poll)
}

// array is a grid of plans on Slurm.
type array struct {
	*cli.App
	runner  *training.Runner
	client  *slurm.Client
	grid    *slurm.Grid
	options slurm.Options
	tasks   []*task
	names   []string // folders of the runs, relative to the folder of runs
	words   []string // arguments of their exp run
	view    *progress.View
}

// newArray opens the data of the plans, on which the folders of their runs depend.
func newArray(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan) (*array, error) {
	s := &array{App: a, runner: r, client: &slurm.Client{}}
	reading, training, stop := progress.Watching(a.IO)
	r.Loader.Progress, r.Loader.Vectors = reading, training
	defer func() {
		stop()
		r.Loader.Progress, r.Loader.Vectors = nil, nil
	}()
	labels := grid.Labels(plans)
	for i, p := range plans {
		j, err := r.Job(ctx, p)
		if err != nil {
			return nil, err
		}
		words := append(naming.Portable(&j.Config), fmt.Sprintf("seed=%d", p.Run.Seed))
		for k, w := range words {
			words[k] = cli.Quoted(w)
		}
		s.tasks = append(s.tasks, &task{plan: p, label: fmt.Sprintf("[%d/%d] %s", i+1, len(plans), labels[i]), config: j.Config})
		labels[i] = s.tasks[i].label
		s.names = append(s.names, filepath.ToSlash(filepath.Join(j.Config.Name, j.Config.ID)))
		s.words = append(s.words, strings.Join(words, " "))
	}
	s.view = progress.NewView(a.IO, plans, labels)
	return s, nil
}

// script returns the batch script of the grid in that folder.
func (s *array) script(dir string) ([]byte, error) {
	data, err := s.Data()
	if err != nil {
		return nil, err
	}
	paths := []string{dir, s.Runs, data}
	for i, p := range paths {
		if paths[i], err = filepath.Abs(p); err != nil {
			return nil, err
		}
	}
	o := s.options
	if o.Exp == "" {
		if o.Exp, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("%w; name the program in %s: exp: /path/of/exp", err, optionsFile)
		}
	}
	return slurm.Script{Options: o, Dir: paths[0], Runs: paths[1], Data: paths[2], Every: s.runner.CheckpointEvery}.Text()
}

// begin submits the runs that are not finished, in the queue, or trained by another process.
func (s *array) begin(ctx context.Context, script []byte) error {
	for _, t := range s.tasks {
		s.read(t)
		t.before = t.over
	}
	if s.say("%s, %d of them finished before", format.Counted(len(s.tasks), "run"), len(s.tasks)-len(s.open())); len(s.open()) == 0 {
		return nil
	}
	if err := s.grid.WriteScript(script); err != nil {
		return err
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	var fresh []int
	for _, i := range s.open() {
		if t := s.tasks[i]; !t.live() && !t.trainedElsewhere() {
			fresh = append(fresh, i)
		}
	}
	if n := len(s.open()) - len(fresh); n > 0 {
		s.say("%d of them submitted before, or trained by another process", n)
	}
	return s.submit(ctx, fresh)
}

// submit submits tasks that are not in the queue.
func (s *array) submit(ctx context.Context, indices []int) error {
	job, indices, err := s.grid.Submit(ctx, s.client, indices, s.options.AtOnce)
	if held, ok := errors.AsType[*fsx.HeldError](err); ok {
		return fmt.Errorf("another exp is submitting this grid: %w", held)
	}
	if err != nil || len(indices) == 0 {
		return err
	}
	for _, i := range indices {
		s.tasks[i].entry = nil
	}
	s.say("submitted %d as job %s; their output is in %s", len(indices), job, s.grid.Logs())
	return nil
}

// Flags are the flags of exp run --on slurm.
type Flags struct {
	slurm.Options
	poll time.Duration

	DryRun bool // --dry-run of exp run
}

const (
	optionsFile = "slurm.yaml" // read if it is in the current folder
	minPoll     = 10 * time.Millisecond
)

// FlagNames are the flags that belong to --on slurm alone.
var FlagNames = []string{"slurm-partition", "slurm-time", "slurm-memory", "slurm-cpus", "slurm-account", "slurm-at-once", "slurm-poll"}

// Register adds the flags.
func (o *Flags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Partition, "slurm-partition", "", "with --on slurm: partition")
	f.StringVar(&o.Time, "slurm-time", "", "with --on slurm: time limit, such as 2h; a longer run is requeued and resumed")
	f.StringVar(&o.Memory, "slurm-memory", "", "with --on slurm: memory of a run, such as 4G")
	f.IntVar(&o.CPUs, "slurm-cpus", 0, "with --on slurm: cores of a run (default 1)")
	f.StringVar(&o.Account, "slurm-account", "", "with --on slurm: account")
	f.IntVar(&o.AtOnce, "slurm-at-once", 0, "with --on slurm: runs at a time (default: no limit)")
	f.DurationVar(&o.poll, "slurm-poll", 10*time.Second, "with --on slurm: time between two checks of the runs")
}

// options combines the flags with those of slurm.yaml.
func (o Flags) options() (slurm.Options, error) {
	if o.poll < minPoll {
		return slurm.Options{}, cli.Usage(fmt.Errorf("--slurm-poll %s: want at least %s", o.poll, minPoll))
	}
	if err := o.Options.Check(); err != nil {
		return slurm.Options{}, cli.Usage(fmt.Errorf("--slurm-%w", err))
	}
	b, err := fsx.ReadFile(optionsFile, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return o.Options, nil
	}
	if err != nil {
		return slurm.Options{}, err
	}
	base, err := slurm.ParseOptions(optionsFile, b)
	return o.Options.Over(base), cli.Usage(err)
}
