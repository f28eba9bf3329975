package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments"
	"imdbexp/experiments/training"
	"imdbexp/internal/fsx"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

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
