package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/report/figures"
	"imdbexp/runs"
)

// drawnFigure is a figure of the published report that is not made from a run's
// metrics: the drawing of an experiment's model, or what one of its runs does to a review.
type drawnFigure struct {
	experiment string
	review     func(a *app, ctx context.Context, run *runs.Run, path string) error // nil: the model
}

// drawnFigures are those that commands show, by their numbers.
var drawnFigures = func() map[int]drawnFigure {
	reviews := map[string]drawnFigure{"attend": {review: (*app).wordsFigure}, "draw": {review: (*app).dotsFigure}}
	out := map[int]drawnFigure{}
	for _, e := range figures.Published() {
		if e.Command != nil {
			f := reviews[e.Command[0]]
			f.experiment = e.Experiment
			out[e.Number] = f
		}
	}
	return out
}()

// drawnFigures writes those of the figures that need no metrics. It returns the
// other numbers, with them those for which there is no run.
func (a *app) drawnFigures(ctx context.Context, list []*runs.Run, numbers []int, dir string) (rest []int, err error) {
	var errs []error
	for _, n := range numbers {
		f, ok := drawnFigures[n]
		run := lastTrained(list, f.experiment)
		if !ok || f.review != nil && run == nil {
			rest = append(rest, n)
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("%w; --out wants a folder", err)
		}
		path := filepath.Join(dir, fmt.Sprintf("figure-%02d-%s", n, f.experiment))
		if f.review == nil {
			errs = append(errs, a.showSVG([]string{f.experiment}, path+".svg"))
			continue
		}
		errs = append(errs, f.review(a, ctx, run, path))
	}
	return rest, errors.Join(errs...)
}

// lastTrained returns an experiment's newest run that has weights, nil where there
// is none; a finished one comes before the others.
func lastTrained(list []*runs.Run, experiment string) (last *runs.Run) {
	for _, r := range list {
		if r.Config.Name != experiment || r.Status.State == runs.Created {
			continue
		}
		if last == nil || r.Status.State == runs.Finished || last.Status.State != runs.Finished {
			last = r
		}
	}
	return last
}

func (a *app) wordsFigure(ctx context.Context, run *runs.Run, path string) error {
	return a.attend(ctx, run.Path, nil, attendOptions{top: usualRows, html: path + ".html"})
}

func (a *app) dotsFigure(ctx context.Context, run *runs.Run, path string) error {
	return a.drawDots(ctx, run.Path, nil, dotsOptions{pad: usualPad, out: path})
}
