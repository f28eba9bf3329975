package slurm

import (
	"context"
	"errors"
	"fmt"
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

// patience is how long Slurm may be out of reach before following it ends; the jobs
// do not mind.
const patience = 30 * time.Minute

// follow looks at the tasks until nothing more will come of any, and then shows the
// table of their runs.
func (s *array) follow(ctx context.Context, every time.Duration) error {
	if s.IO.Moves() {
		s.bar = progress.NewBar(s.IO)
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
		case cli.Done(ctx, err):
			return s.stopped(ctx)
		case err == nil:
			answered = time.Now()
		case time.Since(answered) > patience:
			return fmt.Errorf("%w; the jobs are not ended by this. Follow them again: %s", err, s.again())
		case time.Since(spoke) > progress.Quiet:
			spoke = time.Now()
			s.complain("warning: %v", err)
		}
	}
	return s.end()
}

// look asks Slurm about the tasks that are not over.
func (s *array) look(ctx context.Context) error {
	found, err := s.grid.Look(ctx, s.client, s.open())
	for i, f := range found {
		s.tasks[i].found = f
	}
	return err
}

// settle decides about the tasks that have ended without their run, and submits again
// those that their cluster lost.
func (s *array) settle(ctx context.Context) error {
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
func (s *array) open() []int {
	var out []int
	for i, t := range s.tasks {
		if !t.over {
			out = append(out, i)
		}
	}
	return out
}

// stopped ends following.
func (s *array) stopped(ctx context.Context) error {
	s.stop()
	running, waiting, _ := s.counts()
	s.complain("stopped following; the jobs go on (%d running, %d waiting). Follow them again: %s; end them: scancel --name=%s",
		running, waiting, s.again(), s.grid.Name())
	return cli.Reported(ctx.Err())
}

// end shows the table of the runs and returns the worst that went wrong.
func (s *array) end() error {
	s.stop()
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
	what := "have no result. Submit again those that can have one: " + s.again()
	if _, diverged := errors.AsType[*training.DivergedError](failed); diverged { // and nothing worse
		what = "diverged"
	}
	s.complain("%d of %d runs %s", len(s.tasks)-len(list), len(s.tasks), what)
	return cli.Reported(failed)
}
