// Package bench implements exp bench.
package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	parts := []string{"op", "train", "data"}
	seconds := 1.0
	cmd := &cobra.Command{
		Use:   "bench [op|train|data…]",
		Short: "Measure speed: kernels, training, reading data",
		Long: `Measure speed on this machine:

op     matrix products and other kernels on one core at each SIMD level (GFLOP/s), then
       the ops, forwards and backwards
train  words a second of training, for each experiment
data   seconds to read the installed data, the first time and from the cache

Without a name: op and train.`,
		Example:           "  exp bench\n  exp bench train --workers 1 --simd portable",
		ValidArgsFunction: cobra.FixedCompletions(parts, cobra.ShellCompDirectiveNoFileComp),
		Args: func(_ *cobra.Command, args []string) error {
			for _, w := range args {
				if !slices.Contains(parts, w) {
					return fmt.Errorf("unknown benchmark %q: use op, train or data", w)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"op", "train"}
			}
			if !(seconds > 0) {
				return cli.Usage(fmt.Errorf("--seconds %g: want more than 0", seconds))
			}
			return bench(cmd.Context(), a, args, time.Duration(seconds*float64(time.Second)))
		},
	}
	cmd.Flags().Float64Var(&seconds, "seconds", seconds, "minimum time of each measurement of training")
	return cmd
}

func bench(ctx context.Context, a *cli.App, parts []string, least time.Duration) error {
	e := runs.NewEnvironment(simd.Current().String(), a.Workers, nil)
	a.Say(fmt.Sprintf("%s, %s/%s, %s, %s, %d workers", e.CPU, e.OS, e.Arch, e.Go, e.SIMD, a.Workers), "", "  ")
	for _, p := range parts {
		var err error
		switch p {
		case "op":
			if err = benchKernels(ctx, a); err == nil {
				err = benchOps(ctx, a)
			}
		case "train":
			err = benchTrain(ctx, a, least)
		case "data":
			err = benchData(ctx, a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whole are the settings of the comparison of self-attention with PyTorch: the
// reviews of torch_suite.py --model self --batch 16 --limit 1500, to their ends.
var whole = []string{"batch=16", "data.limit=1500", "data.max_len=0", "key.width=50"}

// benchTrain measures every experiment, and self-attention on whole reviews.
func benchTrain(ctx context.Context, a *cli.App, least time.Duration) error {
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	r, closePool := a.Runner(dir)
	defer closePool()
	a.Heading(fmt.Sprintf("training, data=%s (%s), batch=64", auto.Data, auto.Why))
	t := term.NewTable(term.Column{Head: "experiment"}, term.Column{Head: "words/s", Right: true}, term.Column{Head: "pass", Right: true})
	measure := func(e *experiments.Experiment, note string, least time.Duration, assignments ...string) error {
		p, err := plan.New(plan.Base{Experiment: e}, auto.Data, assignments)
		if err != nil {
			return err
		}
		reading, stop := progress.Reading(a.IO)
		r.Loader.Progress = reading
		s, err := r.Measure(ctx, p, least)
		stop()
		if err != nil {
			return err
		}
		name := e.Name + note
		if d := p.Run.Data.Data; d != auto.Data {
			name += ", data=" + d
		}
		t.Add(name, format.SI(s.Words), milliseconds(s.Pass))
		return nil
	}
	for _, e := range experiments.All() {
		if info, err := e.Info(); err == nil {
			if _, counts := info.New().(models.Counting); counts { // it has no batches
				continue
			}
		}
		if err := measure(e, "", least, "batch=64"); err != nil {
			return err
		}
	}
	self, err := experiments.Lookup("tme10-self")
	if err != nil {
		return err
	}
	// Its steps differ most: time grows with the square of the length.
	if err := measure(self, ", whole, batch=16", 5*least, whole...); err != nil {
		return err
	}
	if err := t.Text(a.IO, "  "); err != nil {
		return err
	}
	a.Say("pass: seconds over all reviews of train, without evaluation", "  ", "    ")
	a.Say("whole: "+strings.Join(whole, " ")+", the work of the peer in docs/performance.md", "  ", "    ")
	return nil
}

func milliseconds(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	}
	return fmt.Sprintf("%.2f s", seconds)
}
