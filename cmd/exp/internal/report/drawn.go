package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/draw"
	"imdbexp/cmd/exp/internal/show"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// drawFigures writes the figures of the published report that other commands draw: of an experiment's
// model, or of one of its runs. It returns the other numbers, and those without a run.
func drawFigures(ctx context.Context, a *cli.App, list []*runs.Run, numbers []int, dir string) (rest []int, err error) {
	all := figures.Published()
	var errs []error
	for _, n := range numbers {
		i := slices.IndexFunc(all, func(e figures.Entry) bool { return e.Number == n && e.Command != nil })
		if i < 0 {
			rest = append(rest, n)
			continue
		}
		name := all[i].Experiment
		run := lastTrained(list, name)
		path := filepath.Join(dir, fmt.Sprintf("figure-%02d-%s", n, name))
		var cmd *cobra.Command
		var words []string
		switch command := all[i].Command[0]; {
		case command == "show":
			cmd, words = show.New(a), []string{name, "--svg", path + ".svg"}
		case run == nil:
			rest = append(rest, n)
			continue
		case command == "attend":
			cmd, words = attend.New(a), []string{"--html", path + ".html", "--", run.Path}
		default:
			cmd, words = draw.New(a), []string{"dots", "--out", path, "--", run.Path}
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("%w; --out must be a folder", err)
		}
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
