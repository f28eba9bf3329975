package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"imdbexp/experiments/training"
	"imdbexp/internal/fsx"
	"imdbexp/report"
	"imdbexp/runs"
)

// patience is how long Slurm may be out of reach before following it ends; the jobs
// do not mind.
const patience = 30 * time.Minute

// follow looks at the tasks until nothing more will come of any, and then shows the
// table of their runs.
func (s *slurmGrid) follow(ctx context.Context, every time.Duration) error {
	if s.io.Terminal() {
		s.bar = newBar(s.io)
		defer s.stop()
	}
	began, from := time.Now(), s.share()
	spoke, answered := began, began
	for s.tell(); len(s.open()) > 0; s.tell() {
		s.progress(began, from, &spoke)
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
			err = s.settle(ctx)
		}
		switch {
		case done(ctx, err):
			return s.stopped(ctx)
		case err == nil:
			answered = time.Now()
		case time.Since(answered) > patience:
			return fmt.Errorf("%w; the jobs are not ended by this. Follow them again: %s", err, s.again())
		case time.Since(spoke) > quiet:
			spoke = time.Now()
			s.complain("warning: %v", err)
		}
	}
	return s.end()
}

// look asks Slurm about the tasks that are not over.
func (s *slurmGrid) look(ctx context.Context) error {
	found, err := s.grid.Look(ctx, s.client, s.open())
	for i, f := range found {
		s.tasks[i].found = f
	}
	return err
}

// settle decides about the tasks that have ended without their run, and submits again
// those that their cluster lost.
func (s *slurmGrid) settle(ctx context.Context) error {
	var lost []int
	for _, i := range s.open() {
		t := s.tasks[i]
		left := t.held != nil // to another process, which may have let go of it now
		if t.elsewhere() || t.found.Entry != nil {
			t.missing = 0
			continue
		}
		if s.read(t); !t.over && (left || t.found.End == nil || s.worthAnother(t)) { // it may have ended since
			lost = append(lost, i)
		}
	}
	err := s.submit(ctx, lost)
	if _, held := errors.AsType[*fsx.HeldError](err); held { // another follower does it
		return nil
	}
	return err
}

// open returns the indices of the tasks of which more will come.
func (s *slurmGrid) open() []int {
	var out []int
	for i, t := range s.tasks {
		if !t.over {
			out = append(out, i)
		}
	}
	return out
}

// stopped ends following.
func (s *slurmGrid) stopped(ctx context.Context) error {
	s.stop()
	running, waiting, _ := s.counts()
	s.complain("stopped following; the jobs go on (%d running, %d waiting). Follow them again: %s; end them: scancel --name=%s",
		running, waiting, s.again(), s.grid.Name())
	return reported{ctx.Err()}
}

// end shows the table of the runs and returns the worst that went wrong.
func (s *slurmGrid) end() error {
	s.stop()
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
		s.printf("\n")
		rep := report.Build(list, report.Options{Dir: s.runs})
		if err := s.view(rep, "text"); err != nil {
			return err
		}
	}
	if failed == nil {
		s.printf("next: %s\n", s.command("report"))
		return nil
	}
	what := "have no result. Submit again those that can have one: " + s.again()
	if _, diverged := errors.AsType[*training.DivergedError](failed); diverged { // and nothing worse
		what = "diverged"
	}
	s.complain("%d of %d runs %s", len(s.tasks)-len(list), len(s.tasks), what)
	return reported{failed}
}
