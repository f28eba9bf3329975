// Package bench implements exp bench.
package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/runs"
)

// New returns exp bench.
func New(a *cli.App) *cobra.Command {
	seconds := 1.0
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of training",
		Long: `Measure the speed of training on this machine: words a second for each experiment, in
batches of 64, and the time of a pass over all training reviews, without evaluation.`,
		Example: "  exp bench\n  exp bench --workers 1 --simd portable",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !(seconds > 0) {
				return cli.Usage(fmt.Errorf("--seconds %g: want more than 0", seconds))
			}
			return bench(cmd.Context(), a, time.Duration(seconds*float64(time.Second)))
		},
	}
	cmd.Flags().Float64Var(&seconds, "seconds", seconds, "time of each measurement, which ends after 200 steps, too")
	return cmd
}

func bench(ctx context.Context, a *cli.App, atLeast time.Duration) error {
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	r, closePool := a.Runner(dir)
	defer closePool()
	e := runs.NewEnvironment(simd.Current().String(), a.Workers, nil)
	a.Say(fmt.Sprintf("%s, %s/%s, %s, %s, %d workers", e.CPU, e.OS, e.Arch, e.Go, e.SIMD, a.Workers), "", "  ")
	a.Heading(fmt.Sprintf("training, data=%s (%s), batch=64", auto.Data, auto.Why))
	t := term.NewTable(term.Column{Head: "experiment"}, term.Column{Head: "words/s", Right: true}, term.Column{Head: "pass", Right: true})
	for _, e := range experiments.All() {
		p, err := plan.New(plan.Base{Experiment: e}, auto.Data, []string{"batch=64"})
		if err != nil {
			return err
		}
		if _, counts := p.Model.(models.Counting); counts { // it has no batches
			continue
		}
		reading, _, stop := progress.Watching(a.IO)
		r.Loader.Progress = reading
		cost, err := r.Measure(ctx, p, atLeast)
		stop()
		if err != nil {
			return err
		}
		name := e.Name
		if d := p.Run.Data.Data; d != auto.Data {
			name += ", data=" + d
		}
		t.Add(name, format.SI(cost.Words), fmt.Sprintf("%.3g s", cost.Pass))
	}
	t.Text(a.IO, "  ")
	return nil
}
