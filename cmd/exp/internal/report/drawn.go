package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/draw"
	"imdbexp/cmd/exp/internal/show"
	"imdbexp/runs"
)

// drawnFigure is a figure of the published report that is not made from a run's
// metrics: the drawing of an experiment's model, or what one of its runs does to a review.
type drawnFigure struct {
	experiment string
	review     func(ctx context.Context, a *cli.App, run, path string) error // nil: the model
}

var drawnFigures = map[int]drawnFigure{
	1:  {experiment: "tme9-mean"},
	5:  {"tme9-simple", wordsFigure},
	6:  {experiment: "tme9-values"},
	18: {"tme10-pe", dotsFigure},
}

// drawFigures writes those of the figures that need no metrics. It returns the
// other numbers, with them those for which there is no run.
func drawFigures(ctx context.Context, a *cli.App, list []*runs.Run, numbers []int, dir string) (rest []int, err error) {
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
			errs = append(errs, cli.Call(ctx, show.New(a), f.experiment, "--svg", path+".svg"))
			continue
		}
		errs = append(errs, f.review(ctx, a, run.Path, path))
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

func wordsFigure(ctx context.Context, a *cli.App, run, path string) error {
	return cli.Call(ctx, attend.New(a), "--html", path+".html", "--", run)
}

func dotsFigure(ctx context.Context, a *cli.App, run, path string) error {
	return cli.Call(ctx, draw.New(a), "dots", "--out", path, "--", run)
}
