package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
)

// optionsFile is read if it is in the current folder.
const optionsFile = "slurm.yaml"

// runSlurm trains plans as one job array: it submits the runs that are neither finished nor in the
// queue, and follows them. The same command follows them again.
func runSlurm(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan, dryRun bool) error {
	b, err := fsx.ReadFile(optionsFile, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s := &array{App: a}
	if s.options, err = slurm.ParseOptions(optionsFile, b); err != nil {
		return cli.Usage(err)
	}
	names, words, err := s.open(ctx, r, plans)
	if err != nil {
		return err
	}
	script, err := s.script(slurm.Folder(a.Runs, names), r.CheckpointEvery)
	if err != nil {
		return err
	}
	if dryRun {
		for i, w := range words {
			s.Printf("task %d: exp run %s\n", i, w)
		}
		s.Printf("\n%s", script)
		return nil
	}
	if s.grid, err = slurm.Open(a.Runs, names, words); err != nil {
		return err
	}
	progress.Overrides(a.IO, plans...)
	if err := s.begin(ctx, script); err != nil {
		return err
	}
	return s.follow(ctx)
}

// array is a grid of plans on Slurm.
type array struct {
	*cli.App
	grid    *slurm.Grid
	options slurm.Options
	tasks   []*task
	view    *progress.View
}

// open opens the data of the plans, because the IDs of runs depend on it. It returns for each plan the folder of its
// run, relative to the folder of runs, and the arguments of exp run.
func (s *array) open(ctx context.Context, r *training.Runner, plans []*plan.Plan) (names, words []string, err error) {
	var stop func()
	r.Loader.Progress, r.Loader.Vectors, stop = progress.Watching(s.IO)
	defer stop()
	labels := labelsOf(plans)
	for i, p := range plans {
		j, err := r.Job(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		line := append(naming.Portable(&j.Config), fmt.Sprintf("seed=%d", p.Run.Seed))
		for k, w := range line {
			line[k] = cli.Quoted(w)
		}
		labels[i] = fmt.Sprintf("[%d/%d] %s", i+1, len(plans), labels[i])
		s.tasks = append(s.tasks, &task{plan: p, label: labels[i], config: j.Config})
		names = append(names, filepath.ToSlash(filepath.Join(j.Config.Name, j.Config.ID)))
		words = append(words, strings.Join(line, " "))
	}
	s.view = progress.NewView(s.IO, plans, labels)
	return names, words, nil
}

// script returns the batch script of the grid in that folder.
func (s *array) script(dir string, every time.Duration) ([]byte, error) {
	o := s.options
	data, err := s.Data()
	if err == nil && o.Exp == "" {
		o.Exp, err = os.Executable()
	}
	paths := []string{dir, s.Runs, data}
	for i, p := range paths {
		if err == nil {
			paths[i], err = filepath.Abs(p)
		}
	}
	if err != nil {
		return nil, err
	}
	return slurm.Script{Options: o, Dir: paths[0], Runs: paths[1], Data: paths[2], Every: every}.Text()
}

// begin submits the runs that are not finished, in the queue, or trained by another process.
func (s *array) begin(ctx context.Context, script []byte) error {
	for _, t := range s.tasks {
		s.read(t)
		t.before = t.over
	}
	rest := s.rest()
	if s.say("%s, %d of them finished before", format.Counted(len(s.tasks), "run"), len(s.tasks)-len(rest)); len(rest) == 0 {
		return nil
	}
	if err := s.grid.WriteScript(script); err != nil {
		return err
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	var fresh []int
	for _, i := range rest {
		if !s.tasks[i].active() {
			fresh = append(fresh, i)
		}
	}
	if n := len(rest) - len(fresh); n > 0 {
		s.say("%d of them submitted before, or trained by another process", n)
	}
	return s.submit(ctx, fresh)
}

// submit submits tasks that are not in the queue.
func (s *array) submit(ctx context.Context, indices []int) error {
	job, indices, err := s.grid.Submit(ctx, indices, s.options.AtOnce)
	if err != nil || len(indices) == 0 {
		return err
	}
	for _, i := range indices {
		s.tasks[i].entry = nil
	}
	s.say("submitted %d as job %s; their output is in %s", len(indices), job, s.grid.Logs())
	return nil
}

// follow checks the tasks until all are over.
func (s *array) follow(ctx context.Context) error {
	defer s.view.Stop()
	var warned time.Time
	for s.printChanges(); len(s.rest()) > 0; s.printChanges() {
		select {
		case <-ctx.Done():
			return s.stopped(ctx)
		case <-time.After(s.options.Poll):
		}
		err := s.check(ctx)
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

// refresh asks Slurm about the tasks.
func (s *array) refresh(ctx context.Context) error {
	found, err := s.grid.Status(ctx)
	for i, e := range found {
		s.tasks[i].entry = e
	}
	return err
}

// check reads the runs. It submits again the tasks that the cluster lost or another process stopped training,
// and marks others that ended without a finished run as over.
func (s *array) check(ctx context.Context) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	var lost []int
	for _, i := range s.rest() {
		t := s.tasks[i]
		wasHeld := t.holder != nil
		s.read(t) // after asking Slurm: a task that has ended has written its run
		switch {
		case t.over:
		case t.active():
			t.missing = 0
		case wasHeld || t.entry == nil || s.submitAgain(ctx, t):
			lost = append(lost, i)
		}
	}
	err := s.submit(ctx, lost)
	if _, held := errors.AsType[*fsx.HeldError](err); held { // another follower submits them
		return nil
	}
	return err
}

// submitAgain decides whether to submit a task that ended without a finished run again at once.
// If not, the task is over, or its result may still appear.
func (s *array) submitAgain(ctx context.Context, t *task) bool {
	if t.entry.State == slurm.Completed || t.entry.State == slurm.Unknown {
		if t.missing++; t.missing < maxMissing {
			return false
		}
	}
	if t.run != nil {
		info, err := os.Stat(filepath.Join(t.run.Path, "last.safetensors"))
		if err == nil && info.ModTime().After(t.checkpoint) {
			t.checkpoint, t.submissions = info.ModTime(), 0
		}
	}
	s.grid.Exit(ctx, t.entry)
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
		b, _ := fsx.ReadFile(log, 1<<20)
		text := strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
		t.err = fmt.Errorf("%w; see %s: %s", t.err, log, text[strings.LastIndexByte(text, '\n')+1:])
	}
	return false
}

// rest returns the indices of the tasks that are not over.
func (s *array) rest() (out []int) {
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
	for _, i := range s.rest() {
		if t := s.tasks[i]; t.live() && !slices.Contains(cancel, t.entry.Job) {
			cancel = append(cancel, t.entry.Job)
		}
	}
	s.complain("stopped following; the jobs continue. Follow them again: %s; cancel them: %s",
		cli.CommandLine(s.Args...), strings.Join(cancel, " "))
	return cli.Reported(ctx.Err())
}

// end prints the next step and returns the worst error.
func (s *array) end() error {
	s.view.Stop()
	var failed error
	bad := 0
	for _, t := range s.tasks {
		if t.err != nil {
			failed, bad = worst(failed, t.err), bad+1
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
	s.complain("%d of %d runs %s", bad, len(s.tasks), what)
	return cli.Reported(failed)
}

// printChanges prints a line for each task that has started, gone back to the queue or ended, and
// shows the progress of the others.
func (s *array) printChanges() {
	for i, t := range s.tasks {
		before := t.place
		switch {
		case t.over && before != over:
			t.place = over
			s.ended(i, t)
			continue
		case t.over:
			continue
		case t.holder != nil:
			t.place = fmt.Sprintf("%s (process %d, not of this grid)", t.holder.Host, t.holder.PID)
		case t.live() && t.entry.Waits():
			t.place = queue
		case t.live():
			t.place = t.entry.Nodes
		}
		runs := t.place != "" && t.place != queue
		s.view.Elsewhere(i, t.epoch(), runs)
		switch {
		case t.place == before:
		case runs:
			s.say("%s: runs on %s%s", t.label, t.place, t.after())
		case before != "":
			s.say("%s: back in the queue%s", t.label, t.after())
		}
	}
}

func (s *array) ended(i int, t *task) {
	if t.err != nil {
		s.view.End(i, false, fmt.Sprintf("exp: %s: %v", t.label, t.err))
		return
	}
	text, err := line(&training.Outcome{Run: t.run})
	if err != nil {
		text = err.Error()
	}
	if t.before {
		text += ", finished before"
	}
	s.view.End(i, true, t.label+": "+text)
}

func (s *array) say(format string, args ...any) { s.view.Say(fmt.Sprintf(format, args...)) }

func (s *array) complain(format string, args ...any) {
	s.view.Fail("exp: " + fmt.Sprintf(format, args...))
}
