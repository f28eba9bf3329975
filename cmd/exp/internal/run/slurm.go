package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// runSlurm trains plans as one job array: it submits the runs that are neither finished nor in the
// queue, follows them, and prints the table. The same command follows them again.
func runSlurm(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, o options) error {
	if r.Force {
		return cli.Usage(errors.New("--force cannot go with --on slurm: a requeued run would start again; remove the runs first"))
	}
	resources, err := o.slurm.options()
	if err != nil {
		return err
	}
	s, err := newArray(ctx, a, r, plans)
	if err != nil {
		return err
	}
	s.options = resources
	script, err := s.script(slurm.Folder(a.Runs, s.names))
	if err != nil {
		return err
	}
	if o.dryRun {
		for i, w := range s.words {
			s.Printf("task %d: exp run %s\n", i, w)
		}
		s.Printf("\n%s", script)
		return nil
	}
	if exp, _ := os.Executable(); resources.Exp == "" && strings.Contains(filepath.ToSlash(exp), "/go-build") {
		return errors.New("go run removes its program when it ends: build exp first (go build ./cmd/exp) and use that for --on slurm")
	}
	if s.grid, err = slurm.Open(a.Runs, s.names, s.words); err != nil {
		return err
	}
	progress.Overrides(a.IO, plans...)
	if err := s.begin(ctx, script); err != nil {
		return err
	}
	return s.follow(ctx, o.slurm.poll)
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
	var stop func()
	r.Loader.Progress, r.Loader.Vectors, stop = progress.Watching(a.IO)
	defer stop()
	labels := labelsOf(plans)
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

type slurmFlags struct {
	slurm.Options
	poll time.Duration
}

const (
	optionsFile = "slurm.yaml" // read if it is in the current folder
	minPoll     = 10 * time.Millisecond
)

// slurmFlagNames are the flags that belong to --on slurm alone.
var slurmFlagNames = []string{"slurm-partition", "slurm-time", "slurm-memory", "slurm-cpus", "slurm-account", "slurm-at-once", "slurm-poll"}

func (o *slurmFlags) register(cmd *cobra.Command) {
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
func (o slurmFlags) options() (slurm.Options, error) {
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

// submitAgain decides whether a task that has ended without a finished run is submitted again at
// once. If not, the task is over, or its result may still appear.
func (s *array) submitAgain(t *task) bool {
	if t.entry.State == slurm.Completed || t.entry.State == slurm.Unknown {
		if t.missing++; t.missing < maxMissing {
			return false
		}
	}
	if at := t.newestCheckpoint(); at.After(t.checkpoint) {
		t.checkpoint, t.submissions = at, 0
	}
	if t.entry.Lost() && t.submissions < maxSubmissions && t.err == nil {
		t.submissions++
		s.say("%s: %s%s; submitting it again", t.label, t.entry, t.after())
		return true
	}
	t.over = true
	if t.err == nil { // the run's own error says more
		t.err = fmt.Errorf("%s%s", t.entry, t.after())
	}
	if log := s.grid.Log(t.entry); t.entry.State != slurm.Cancelled {
		t.err = fmt.Errorf("%w; see %s", t.err, log)
		b, _ := fsx.ReadFile(log, 1<<20)
		if text := strings.TrimSpace(strings.ToValidUTF8(string(b), "")); text != "" {
			t.err = fmt.Errorf("%w: %s", t.err, text[strings.LastIndexByte(text, '\n')+1:])
		}
	}
	return false
}

// follow checks the tasks until all are over and prints the table of their runs.
func (s *array) follow(ctx context.Context, every time.Duration) error {
	defer s.view.Stop()
	var warned time.Time
	for s.printChanges(); len(s.open()) > 0; s.printChanges() {
		select {
		case <-ctx.Done():
			return s.stopped(ctx)
		case <-time.After(every):
		}
		for _, i := range s.open() {
			s.read(s.tasks[i])
		}
		err := s.look(ctx)
		if err == nil {
			err = s.submitLost(ctx)
		}
		switch {
		case cli.Done(ctx, err):
			return s.stopped(ctx)
		case err != nil && time.Since(warned) > progress.Quiet: // the controller may be down; the jobs continue
			warned = time.Now()
			s.complain("warning: %v", err)
		}
	}
	return s.end()
}

// look asks Slurm about the tasks that are not over.
func (s *array) look(ctx context.Context) error {
	found, err := s.grid.Look(ctx, s.client, s.open())
	for i, e := range found {
		s.tasks[i].entry = &e
	}
	return err
}

// submitLost submits lost tasks again: those that the cluster lost, and those that another process
// stopped training. It ends the tasks that have ended without a finished run.
func (s *array) submitLost(ctx context.Context) error {
	var lost []int
	for _, i := range s.open() {
		t := s.tasks[i]
		wasHeld := t.holder != nil
		if t.trainedElsewhere() || t.live() {
			t.missing = 0
			continue
		}
		// The run may have ended since it was read.
		if s.read(t); !t.over && (wasHeld || t.entry == nil || s.submitAgain(t)) {
			lost = append(lost, i)
		}
	}
	err := s.submit(ctx, lost)
	if _, held := errors.AsType[*fsx.HeldError](err); held { // another follower submits them
		return nil
	}
	return err
}

// open returns the indices of the tasks that are not over.
func (s *array) open() (out []int) {
	for i, t := range s.tasks {
		if !t.over {
			out = append(out, i)
		}
	}
	return out
}

func (s *array) stopped(ctx context.Context) error {
	s.view.Stop()
	cancel := []string{"scancel"}
	for _, i := range s.open() {
		if t := s.tasks[i]; t.live() && !slices.Contains(cancel, t.entry.Job) {
			cancel = append(cancel, t.entry.Job)
		}
	}
	s.complain("stopped following; the jobs continue. Follow them again: %s; cancel them: %s",
		cli.CommandLine(s.Args...), strings.Join(cancel, " "))
	return cli.Reported(ctx.Err())
}

// end prints the table of the runs and returns the worst error.
func (s *array) end() error {
	s.view.Stop()
	var failed error
	var list []*runs.Run
	for _, t := range s.tasks {
		if t.err != nil {
			failed = worst(failed, t.err)
		} else {
			list = append(list, t.run)
		}
	}
	if len(list) > 0 {
		s.Printf("\n")
		rep := tables.Build(list, tables.Options{Dir: s.Runs, Order: experiments.InOrder()})
		if err := rep.Text(s.IO.Out, s.IO.Width(), s.IO.Color()); err != nil {
			return err
		}
	}
	if failed == nil {
		s.Printf("next: %s\n", s.Command("report"))
		return nil
	}
	what := "have no result. Submit them again: " + cli.CommandLine(s.Args...)
	if _, diverged := errors.AsType[*training.DivergedError](failed); diverged { // and no other error
		what = "diverged"
	}
	s.complain("%d of %d runs %s", len(s.tasks)-len(list), len(s.tasks), what)
	return cli.Reported(failed)
}

// printChanges prints a line for each task that has started, gone back to the queue or ended, and
// shows how far the others have got.
func (s *array) printChanges() {
	for i, t := range s.tasks {
		before := t.shown
		if t.shown = cmp.Or(t.where(), before); t.over {
			if before != over {
				s.ended(i, t)
			}
			continue
		}
		active := t.shown != "" && t.shown != queue
		s.view.Elsewhere(i, t.epoch(), active)
		switch {
		case t.shown == before:
		case active:
			s.say("%s: runs on %s%s", t.label, t.shown, t.after())
		case before != "":
			s.say("%s: back in the queue%s", t.label, t.after())
		}
	}
}

func (s *array) ended(i int, t *task) {
	if t.err != nil {
		s.view.End(i, nil, fmt.Sprintf("exp: %s: %v", t.label, t.err))
		return
	}
	line, err := line(&training.Outcome{Run: t.run})
	if err != nil {
		line = err.Error()
	}
	if t.before {
		line += ", finished before"
	}
	s.view.End(i, t.run, t.label+": "+line)
}

func (s *array) say(format string, args ...any) { s.view.Say(fmt.Sprintf(format, args...)) }

func (s *array) complain(format string, args ...any) {
	s.view.Fail("exp: " + fmt.Sprintf(format, args...))
}
