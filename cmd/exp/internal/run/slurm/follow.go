package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments"
	"imdbexp/experiments/training"
	"imdbexp/internal/fsx"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// follow checks the tasks until all are over and prints the table of their runs.
func (s *array) follow(ctx context.Context, every time.Duration) error {
	defer s.bar.Stop()
	for s.printChanges(); len(s.open()) > 0; s.printChanges() {
		s.printProgress()
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
		case err != nil && time.Since(s.printed) > progress.Quiet: // the controller may be down; the jobs continue
			s.printed = time.Now()
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

// submitLost submits the tasks again that the cluster lost, or that another process has stopped
// training, and ends those that have ended without a finished run.
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

// stopped ends following.
func (s *array) stopped(ctx context.Context) error {
	s.bar.Stop()
	running, waiting := s.counts()
	cancel := []string{"scancel"}
	for _, i := range s.open() {
		if t := s.tasks[i]; t.live() && !slices.Contains(cancel, t.entry.Job) {
			cancel = append(cancel, t.entry.Job)
		}
	}
	s.complain("stopped following; the jobs continue (%d running, %d waiting). Follow them again: %s; cancel them: %s",
		running, waiting, cli.CommandLine(s.Args...), strings.Join(cancel, " "))
	return cli.Reported(ctx.Err())
}

// end prints the table of the runs and returns the worst error.
func (s *array) end() error {
	s.bar.Stop()
	var failed error
	var list []*runs.Run
	for _, t := range s.tasks {
		if t.err != nil {
			failed = grid.Worst(failed, t.err)
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

// printChanges prints a line for each task that has started, gone back to the queue or ended.
func (s *array) printChanges() {
	for _, t := range s.tasks {
		now := ""
		switch {
		case t.over:
			now = "over"
		case t.holder != nil:
			now = fmt.Sprintf("%s (process %d, not of this grid)", t.holder.Host, t.holder.PID)
		case t.live() && t.entry.Waits():
			now = "queue"
		case t.live():
			now = t.entry.Nodes
		}
		before := t.shown
		if now == "" || now == before {
			continue
		}
		t.shown = now
		switch {
		case t.over && t.err != nil:
			s.complain("%s: %v", t.label, t.err)
		case t.over:
			line, err := grid.Line(&training.Outcome{Run: t.run})
			if err != nil {
				line = err.Error()
			}
			if t.before {
				line += ", finished before"
			}
			s.say("%s: %s", t.label, line)
		case now != "queue":
			s.say("%s: runs on %s%s", t.label, now, t.after())
		case before != "":
			s.say("%s: back in the queue%s", t.label, t.after())
		}
	}
}

// printProgress shows how far all tasks have got: by a bar on a terminal, else by a line now and
// then.
func (s *array) printProgress() {
	bad := 0
	for _, t := range s.tasks {
		if t.over && t.err != nil {
			bad++
		}
	}
	running, waiting := s.counts()
	head := fmt.Sprintf("%d of %d", len(s.tasks)-len(s.open())-bad, len(s.tasks))
	text := fmt.Sprintf("%d running, %d waiting", running, waiting)
	if bad > 0 {
		text = fmt.Sprintf("%d failed, ", bad) + text
	}
	s.bar.SetOrSay(int64(1e6*s.share()), 1e6, head, text, progress.Quiet, head+" done, "+text)
}

// counts returns how many tasks run and wait.
func (s *array) counts() (running, waiting int) {
	for _, i := range s.open() {
		if t := s.tasks[i]; t.holder != nil || t.live() && !t.entry.Waits() {
			running++
		} else {
			waiting++
		}
	}
	return running, waiting
}

// share returns the share of all epochs that are done.
func (s *array) share() float64 {
	done, all := 0, 0
	for _, t := range s.tasks {
		all += t.plan.Run.Epochs
		if t.over {
			done += t.plan.Run.Epochs
		} else {
			done += t.epoch()
		}
	}
	return float64(done) / float64(max(1, all))
}

// say prints a line, above the bar if there is one.
func (s *array) say(format string, args ...any) { s.print(s.IO.Out, "", format, args...) }

// complain prints a line on standard error.
func (s *array) complain(format string, args ...any) { s.print(s.IO.Err, "exp: ", format, args...) }

func (s *array) print(out io.Writer, head, format string, args ...any) {
	fmt.Fprintln(s.bar.Or(out), s.Wrap(fmt.Sprintf(format, args...), head, "  "))
}
