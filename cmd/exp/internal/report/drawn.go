package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/draw"
	"imdbexp/cmd/exp/internal/show"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// drawnFigure is a figure of the published report that another command draws: of an experiment's
// model, or of one of its runs.
type drawnFigure struct {
	experiment string
	draw       func(a *cli.App, of, path string) (*cobra.Command, []string)
	run        bool
}

// drawnFigures are the figures that commands draw, by their numbers.
var drawnFigures = func() map[int]drawnFigure {
	commands := map[string]drawnFigure{"show": {draw: drawModel}, "attend": {draw: drawWords, run: true}, "draw": {draw: drawDots, run: true}}
	out := map[int]drawnFigure{}
	for _, e := range figures.Published() {
		if e.Command != nil {
			f := commands[e.Command[0]]
			f.experiment = e.Experiment
			out[e.Number] = f
		}
	}
	return out
}()

func drawModel(a *cli.App, experiment, path string) (*cobra.Command, []string) {
	return show.New(a), []string{experiment, "--svg", path + ".svg"}
}

func drawWords(a *cli.App, run, path string) (*cobra.Command, []string) {
	return attend.New(a), []string{"--html", path + ".html", "--", run}
}

func drawDots(a *cli.App, run, path string) (*cobra.Command, []string) {
	return draw.New(a), []string{"dots", "--out", path, "--", run}
}

// drawFigures writes the figures that other commands draw. It returns the other numbers, and those
// without a run.
func drawFigures(ctx context.Context, a *cli.App, list []*runs.Run, numbers []int, dir string) (rest []int, err error) {
	var errs []error
	for _, n := range numbers {
		f, ok := drawnFigures[n]
		of := f.experiment
		if run := lastTrained(list, f.experiment); run != nil && f.run {
			of = run.Path
		} else if !ok || f.run {
			rest = append(rest, n)
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("%w; --out must be a folder", err)
		}
		path := filepath.Join(dir, fmt.Sprintf("figure-%02d-%s", n, f.experiment))
		cmd, words := f.draw(a, of, path)
		errs = append(errs, cli.Call(ctx, cmd, words...))
	}
	return rest, errors.Join(errs...)
}

// lastTrained returns the newest finished run of an experiment, or its newest run with weights, or
// nil.
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
