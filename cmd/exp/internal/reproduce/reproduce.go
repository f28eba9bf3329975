// Package reproduce is exp reproduce: does a run come out the same, to the bit?
package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/reproduction"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// New returns exp reproduce.
func New(a *cli.App) *cobra.Command {
	epochs := 0
	cmd := &cobra.Command{
		Use:   "reproduce RUN | CITATION [key=value…]",
		Short: "Train a run again and compare the bits",
		Long: `Train a run again, in a temporary folder, and compare what comes out with what was
kept: first what the run says of itself (model, variant, classes, how much of which
data), then byte by byte metrics, entropies, predictions, the weights of the last and the
best epoch, and which epoch counts. The first difference ends it and is shown, with the
versions and the machine that differ. Nothing of the run is touched. What could not be
compared is listed, and the verdict is then not "same bits".

CITATION is what exp show prints of a finished run, such as
imdbexp:tme9-lstm/4f2a91@9c31e07b. A run that is not in the folder of runs is
looked for among those of its experiment (each optimiser, default and original);
key=value, lists and ranges too, says which other settings it had.

Exit codes: 0 the same bits as far as compared, 1 others, or they could not be.`,
		Example: "  exp reproduce @last\n  exp reproduce 4f2a91 --epochs 2 --simd portable\n  exp reproduce imdbexp:tme9-lstm/4f2a91@9c31e07b seed=1..5",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("reproduce what? %s lists the runs; @last is the last one", a.Command("report"))
			}
			if len(args) > 1 && !runs.IsCitation(args[0]) {
				return fmt.Errorf("%q: the settings of a run are those that it had; only a citation takes others", args[1])
			}
			return nil
		},
		ValidArgsFunction: a.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if epochs < 0 {
				return cli.Usage(fmt.Errorf("--epochs %d: want 1 or more, or 0 for all", epochs))
			}
			return reproduce(cmd.Context(), a, args[0], args[1:], epochs)
		},
	}
	cmd.Flags().IntVar(&epochs, "epochs", 0, "compare only so many epochs (0: all, predictions and weights too)")
	return cmd
}

func reproduce(ctx context.Context, a *cli.App, ref string, assignments []string, epochs int) error {
	if !runs.IsCitation(ref) {
		run, err := a.RunOf(ref)
		if err != nil {
			return err
		}
		return reproduceRun(ctx, a, run, epochs)
	}
	c, err := runs.ParseCitation(ref)
	if err != nil {
		return cli.Usage(err)
	}
	run, err := runs.FindCited(a.Runs, ref)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return reproduceCited(ctx, a, c, assignments, epochs)
	case err != nil:
		return err
	case len(assignments) > 0:
		return cli.Usage(fmt.Errorf("%s: %s is in %s, its settings are known: leave them out", assignments[0], c, a.Runs))
	}
	return reproduceRun(ctx, a, run, epochs)
}

// aside returns a runner that trains into a temporary folder; close removes it.
func aside(a *cli.App, dir string) (r *training.Runner, close func(), err error) {
	folder, err := os.MkdirTemp("", "imdbexp-reproduce-")
	if err != nil {
		return nil, nil, err
	}
	r, closePool := a.Runner(dir)
	r.Dir = folder
	return r, func() {
		closePool()
		a.Warn(os.RemoveAll(folder))
	}, nil
}

// reproduceRun compares a run that is at hand.
func reproduceRun(ctx context.Context, a *cli.App, kept *runs.Run, epochs int) error {
	dir, err := a.Installed()
	if err != nil {
		return err
	}
	p, err := plan.Of(&kept.Config)
	if err != nil {
		return err
	}
	r, closeAside, err := aside(a, dir)
	if err != nil {
		return err
	}
	defer closeAside()
	a.Say(announce(kept), "", "  ")
	otherVersion(a, &kept.Config)
	w := progress.NewRun(a.IO, p, true)
	if epochs > 0 {
		w.Epochs = min(epochs, w.Epochs)
	}
	w.Watch(r)
	out, err := reproduction.Again(ctx, r, kept, p, epochs, w.Hooks())
	w.Stop()
	if err != nil {
		return err
	}
	return verdict(a, out)
}

// reproduceCited trains the run that a citation names and compares its metrics
// with the citation, which is all there is of it here.
func reproduceCited(ctx context.Context, a *cli.App, c runs.Citation, assignments []string, epochs int) error {
	if epochs > 0 {
		return cli.Usage(fmt.Errorf("--epochs: %s is not in %s, and a citation has the digest of all epochs together", c, a.Runs))
	}
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	r, closeAside, err := aside(a, dir)
	if err != nil {
		return err
	}
	defer closeAside()
	p, err := reproduction.Cited(ctx, r, c, assignments, auto.Data)
	if err != nil {
		return err
	}
	a.Say(fmt.Sprintf("not in %s, trained anew: %s", a.Runs, c), "", "  ")
	progress.Overrides(a.IO, p)
	w := progress.NewRun(a.IO, p, true)
	w.Watch(r)
	out, err := r.Run(ctx, p, w.Hooks())
	w.Stop()
	if err != nil {
		return err
	}
	now, err := out.Run.Citation()
	if err != nil {
		return err
	}
	if now.Metrics != c.Metrics {
		a.Printf("%s: metrics.jsonl has the digest %s, the citation %s\n", a.IO.Paint(term.Bold, "not the same bits"), now.Metrics, c.Metrics)
		return fmt.Errorf("%s does not come out the same", c)
	}
	a.Printf("%s: metrics.jsonl (%s)\n", a.IO.Paint(term.Bold, "same bits"), format.Counted(out.Run.Status.Epoch, "epoch"))
	return nil
}
