package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/outcome"
	"imdbexp/cmd/exp/internal/report"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// smoke trains two steps of two epochs in a temporary folder, stopped and resumed
// inside the second one, and makes a report of them.
func smoke(ctx context.Context, a *cli.App, r *training.Runner, p *plan.Plan, label string) (err error) {
	began := time.Now()
	// So many reviews of each class make two batches.
	for _, set := range []string{fmt.Sprintf("data.limit=%d", p.Run.Batch), "epochs=2"} {
		if err := p.Set.Apply("--smoke", set); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "exp-smoke-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	quiet := *a
	quiet.IO, quiet.Runs = term.New(io.Discard, io.Discard, 0, false), dir
	tmp := *r
	tmp.Dir = dir

	var done []string
	last := began
	step := func(what string) {
		now := time.Now()
		done = append(done, fmt.Sprintf("%s %s", what, format.Clock(now.Sub(last).Seconds())))
		last = now
	}
	if _, err := tmp.Job(ctx, p); err != nil {
		return err
	}
	step("data")
	inner, stop := context.WithCancel(ctx)
	defer stop()
	hooks := training.Hooks{Step: func(s training.Step) {
		if s.Epoch == 2 {
			stop()
		}
	}}
	if _, err := tmp.Run(inner, p, hooks); err != nil && !stoppedHere(ctx, err) {
		return fmt.Errorf("training: %w", err)
	}
	step("training, evaluation and checkpoint")
	out, err := tmp.Run(ctx, p, training.Hooks{})
	if err != nil {
		return fmt.Errorf("going on from the checkpoint: %w", err)
	}
	step("going on")
	if err := outcome.Show(ctx, &quiet, &tmp, out.Run); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	step("result")
	if err := cli.Call(ctx, report.New(&quiet), "--out", filepath.Join(dir, "report")); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	step("report")
	a.Say(fmt.Sprintf("%s: all well in %s (%s)", label, format.Clock(time.Since(began).Seconds()), strings.Join(done, ", ")), "", "  ")
	return nil
}

// stoppedHere reports whether a run was stopped by us and not by the user.
func stoppedHere(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(err, context.Canceled)
}
