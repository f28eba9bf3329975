package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

func (a *app) benchCommand() *cobra.Command {
	parts := []string{"op", "train", "data"}
	seconds := 1.0
	cmd := &cobra.Command{
		Use:   "bench [op|train|data…]",
		Short: "Measure speed: kernels, training, reading data",
		Long: `Measure speed on this machine:

op     matrix products at the LSTM's sizes (GFLOP/s) and the other kernels, on one
       core at each SIMD level; then the ops, forwards and backwards
train  words a second of training, for each experiment, on the data that exp run takes;
       self-attention on whole reviews, too, as it is compared with PyTorch
data   seconds to read what is installed, at first and from the cache

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
				return usage(fmt.Errorf("--seconds %g: want more than 0", seconds))
			}
			return a.bench(cmd.Context(), args, time.Duration(seconds*float64(time.Second)))
		},
	}
	cmd.Flags().Float64Var(&seconds, "seconds", seconds, "least time of each measurement of training")
	return cmd
}

func (a *app) bench(ctx context.Context, parts []string, least time.Duration) error {
	e := runs.NewEnvironment(simd.Current().String(), a.workers, nil)
	a.printf("%s\n", a.wrap(fmt.Sprintf("%s, %s/%s, %s, %s, %d workers", e.CPU, e.OS, e.Arch, e.Go, e.SIMD, a.workers), "", "  "))
	for _, p := range parts {
		var err error
		switch p {
		case "op":
			err = a.benchOps(ctx)
		case "train":
			err = a.benchTrain(ctx, least)
		case "data":
			err = a.benchData(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whole are the settings with which self-attention is measured beside PyTorch: the
// reviews of torch_suite.py --model self --batch 16 --limit 1500, to their ends.
var whole = []string{"batch=16", "data.limit=1500", "data.max_len=0", "key.width=50"}

// benchTrain measures every experiment, and self-attention once more, on whole reviews.
func (a *app) benchTrain(ctx context.Context, least time.Duration) error {
	dir, auto, err := a.auto()
	if err != nil {
		return err
	}
	r, closePool := a.runner(dir)
	defer closePool()
	a.heading(fmt.Sprintf("training, data=%s (%s), batch=64", auto.Data, auto.Why))
	t := term.NewTable(term.Column{Head: "experiment"}, term.Column{Head: "words/s", Right: true}, term.Column{Head: "pass", Right: true})
	measure := func(e *experiments.Experiment, note string, least time.Duration, assignments ...string) error {
		p, err := plan.New(plan.Base{Experiment: e}, auto.Data, assignments)
		if err != nil {
			return err
		}
		reading, stop := a.reading()
		r.Loader.Progress = reading
		s, err := r.Speed(ctx, p, least)
		stop()
		if err != nil {
			return err
		}
		name := e.Name + note
		if p.Translates() {
			name += ", data=" + p.Run.Data.Data
		}
		t.Add(name, si(s.Words), milliseconds(s.Pass))
		return nil
	}
	for _, e := range experiments.All() {
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
	if err := t.Text(a.io, "  "); err != nil {
		return err
	}
	a.printf("%s\n", a.wrap("pass: seconds over all reviews of train, without evaluation", "  ", "    "))
	a.printf("%s\n", a.wrap("whole: "+strings.Join(whole, " ")+", the work of the peer in docs/performance.md", "  ", "    "))
	return nil
}

func milliseconds(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	}
	return fmt.Sprintf("%.2f s", seconds)
}
