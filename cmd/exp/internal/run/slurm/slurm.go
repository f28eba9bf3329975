// Package slurm is exp run --on slurm: a grid trained as one job array.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/again"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
)

// Run trains plans as one job array: it submits what has neither finished nor is
// in the queue, follows it, and shows the table. Called again it goes on following.
func Run(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, o Flags) error {
	if r.Force {
		return cli.Usage(errors.New("--force cannot go with --on slurm: a run that goes on in a second turn would start again; remove the runs instead"))
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	s, err := newArray(ctx, a, r, plans)
	if err != nil {
		return err
	}
	if s.options = options; o.DryRun {
		return s.dryRun()
	}
	if s.grid, err = slurm.Open(a.Runs, s.names, s.words); err != nil {
		return err
	}
	grid.PrintOverrides(a.IO, plans)
	if err := s.begin(ctx); err != nil {
		return err
	}
	if o.detach && len(s.open()) > 0 {
		a.Printf("follow them: %s\n", s.again())
		return nil
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
	names   []string      // folders of the runs, relative to that of all
	words   []string      // of their exp run
	bar     *progress.Bar // nil in a pipe
}

// newArray finds out where the plans' runs lie, which hangs on the data.
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
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		j, err := r.Job(ctx, p)
		if err != nil {
			return nil, err
		}
		c := j.Config
		words, err := again.Words(p)
		if err != nil {
			return nil, err
		}
		for k, w := range words {
			words[k] = cli.Quoted(w)
		}
		s.tasks = append(s.tasks, &task{plan: p, label: fmt.Sprintf("[%d/%d] %s", i+1, len(plans), labels[i]), config: c})
		s.names = append(s.names, filepath.ToSlash(filepath.Join(c.Name, c.ID)))
		s.words = append(s.words, strings.Join(words, " "))
	}
	return s, nil
}

// begin submits what is to be trained.
func (s *array) begin(ctx context.Context) error {
	for _, t := range s.tasks {
		s.read(t)
		t.before = t.over
	}
	if s.say("%s, %d of them done before", format.Counted(len(s.tasks), "run"), len(s.tasks)-len(s.open())); len(s.open()) == 0 {
		return nil
	}
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	var fresh []int
	for i, t := range s.tasks {
		if !t.over && t.found.Entry == nil && !t.elsewhere() {
			fresh = append(fresh, i)
		}
	}
	if n := len(s.open()) - len(fresh); n > 0 {
		s.say("%d of them submitted before, or trained by another process", n)
	}
	return s.submit(ctx, fresh)
}

// prepare writes the batch script and what it needs.
func (s *array) prepare() error {
	text, err := s.script(s.grid.Dir)
	if err != nil {
		return err
	}
	if _, from, err := program(s.options, s.grid.Dir); err != nil || from != "" {
		if err = errors.Join(err, s.grid.KeepProgram(from)); err != nil {
			return err
		}
	}
	return s.grid.WriteScript(text)
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
		s.tasks[i].found = slurm.Found{Task: slurm.Task{Job: job, Index: i}}
	}
	s.say("submitted %d as job %s; what they print is in %s", len(indices), job, s.grid.Logs())
	return nil
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
	if o.Exp, _, err = program(o, paths[0]); err != nil {
		return nil, err
	}
	return slurm.Script{Options: o, Name: slurm.Name(dir), Dir: paths[0], Runs: paths[1], Data: paths[2],
		Every: s.runner.CheckpointEvery}.Text()
}

// dryRun shows the tasks and the batch script.
func (s *array) dryRun() error {
	script, err := s.script(slurm.Folder(s.Runs, s.names))
	if err != nil {
		return err
	}
	for i, w := range s.words {
		s.Printf("task %d: exp run %s\n", i, w)
	}
	s.Printf("\n%s", script)
	return nil
}

// again is the command that goes on following.
func (s *array) again() string {
	return cli.CommandLine(slices.DeleteFunc(slices.Clone(s.Args), func(w string) bool { return strings.HasPrefix(w, "--slurm-detach") })...)
}
