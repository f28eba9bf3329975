package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/reproduction"
	"imdbexp/experiments/training"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

func (a *app) reproduceCommand() *cobra.Command {
	epochs := 0
	cmd := &cobra.Command{
		Use:   "reproduce RUN | CITATION [key=value…]",
		Short: "Train a run again and compare the bits",
		Long: `Train a run again, in a temporary folder, and compare what comes out with what was
kept, byte by byte: metrics, entropies, predictions and weights. The first
difference ends it and is shown, with the versions and the machine that differ.
Nothing of the run is touched.

CITATION is what exp show prints of a finished run, such as
imdbexp:tme9-lstm/4f2a91@9c31e07b. A run that is not in the folder of runs is
looked for among those of its experiment (each optimiser, default and original);
key=value, lists and ranges too, says which other settings it had.

Exit codes: 0 the same bits, 1 others, or they could not be compared.`,
		Example: "  exp reproduce @last\n  exp reproduce 4f2a91 --epochs 2 --simd portable\n  exp reproduce imdbexp:tme9-lstm/4f2a91@9c31e07b seed=1..5",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("reproduce what? %s lists the runs; @last is the last one", a.command("report"))
			}
			if len(args) > 1 && !runs.IsCitation(args[0]) {
				return fmt.Errorf("%q: the settings of a run are those that it had; only a citation takes others", args[1])
			}
			return nil
		},
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if epochs < 0 {
				return usage(fmt.Errorf("--epochs %d: want 1 or more, or 0 for all", epochs))
			}
			return a.reproduce(cmd.Context(), args[0], args[1:], epochs)
		},
	}
	cmd.Flags().IntVar(&epochs, "epochs", 0, "compare only so many epochs (0: all, predictions and weights too)")
	return cmd
}

func (a *app) reproduce(ctx context.Context, ref string, assignments []string, epochs int) error {
	if !runs.IsCitation(ref) {
		run, err := runs.Find(a.runs, ref)
		if err != nil {
			return err
		}
		return a.reproduceRun(ctx, run, epochs)
	}
	c, err := runs.ParseCitation(ref)
	if err != nil {
		return usage(err)
	}
	run, err := runs.FindCited(a.runs, ref)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.reproduceCited(ctx, c, assignments, epochs)
	case err != nil:
		return err
	case len(assignments) > 0:
		return usage(fmt.Errorf("%s: %s is in %s, its settings are known: leave them out", assignments[0], c, a.runs))
	}
	return a.reproduceRun(ctx, run, epochs)
}

// aside returns a runner that trains into a temporary folder; close removes it.
func (a *app) aside(dir string) (r *training.Runner, close func(), err error) {
	folder, err := os.MkdirTemp("", "imdbexp-reproduce-")
	if err != nil {
		return nil, nil, err
	}
	r, closePool := a.runner(dir)
	r.Dir = folder
	return r, func() {
		closePool()
		a.warn(os.RemoveAll(folder))
	}, nil
}

// reproduceRun compares a run that is at hand.
func (a *app) reproduceRun(ctx context.Context, kept *runs.Run, epochs int) error {
	dir, err := a.data()
	if err != nil {
		return err
	}
	p, err := plan.Of(&kept.Config)
	if err != nil {
		return err
	}
	r, closeAside, err := a.aside(dir)
	if err != nil {
		return err
	}
	defer closeAside()
	a.printf("%s\n", a.wrap(a.kept(kept), "", "  "))
	a.otherVersion(&kept.Config)
	w := newProgress(a.io, p, true)
	if epochs > 0 {
		w.epochs = min(epochs, w.epochs)
	}
	r.Loader.Progress, r.Loader.Vectors = w.loading, w.training
	out, err := reproduction.Again(ctx, r, kept, p, epochs, w.hooks())
	w.stop()
	if err != nil {
		return err
	}
	return a.reproduced(out)
}

// reproduceCited trains the run that a citation names and compares its metrics
// with the citation, which is all there is of it here.
func (a *app) reproduceCited(ctx context.Context, c runs.Citation, assignments []string, epochs int) error {
	if epochs > 0 {
		return usage(fmt.Errorf("--epochs: %s is not in %s, and a citation has the digest of all epochs together", c, a.runs))
	}
	dir, auto, err := a.auto()
	if err != nil {
		return err
	}
	r, closeAside, err := a.aside(dir)
	if err != nil {
		return err
	}
	defer closeAside()
	p, err := reproduction.Cited(ctx, r, c, assignments, auto.Data)
	if err != nil {
		return err
	}
	a.printf("%s\n", a.wrap(fmt.Sprintf("not in %s, trained anew: %s", a.runs, c), "", "  "))
	a.overrides(p)
	w := newProgress(a.io, p, true)
	out, err := a.train(ctx, r, p, w, nil)
	if err != nil {
		return err
	}
	now, err := out.Run.Citation()
	if err != nil {
		return err
	}
	if now.Metrics != c.Metrics {
		a.printf("%s: metrics.jsonl has the digest %s, the citation %s\n", a.io.Paint(term.Bold, "not the same bits"), now.Metrics, c.Metrics)
		return fmt.Errorf("%s does not come out the same", c)
	}
	a.printf("%s: metrics.jsonl (%d %s)\n", a.io.Paint(term.Bold, "same bits"), out.Run.Status.Epoch, counted(out.Run.Status.Epoch, "epoch"))
	return nil
}
