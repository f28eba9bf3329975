// Package reproduce implements exp reproduce.
package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

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
		Long: `Train a run again in a temporary folder and compare the files of both runs: metrics,
entropies, predictions, the checkpoints of the last and the best epoch, and the
configuration. The first file and epoch that differ are shown. The run is not changed.

CITATION is the line that exp show prints of a finished run, such as
imdbexp:tme9-lstm/4f2a91@9c31e07b. For a run that is not in the folder of runs,
exp tries its experiment with every optimiser and variant; key=value gives its other
settings, also as lists and ranges.

Exit codes: 0 the same bits, 1 other bits, or the run could not be compared.`,
		Example: "  exp reproduce @last\n  exp reproduce 4f2a91 --epochs 2 --simd portable\n  exp reproduce imdbexp:tme9-lstm/4f2a91@9c31e07b seed=1..5",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("name a run: %s lists the runs, @last is the newest one", a.Command("report"))
			}
			if len(args) > 1 && !runs.IsCitation(args[0]) {
				return fmt.Errorf("%q: a run is trained again with its own settings; only a citation takes key=value", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if epochs < 0 {
				return cli.Usagef("--epochs %d: want 1 or more, or 0 for all", epochs)
			}
			return reproduce(cmd.Context(), a, args[0], args[1:], epochs)
		},
	}
	cmd.Flags().IntVar(&epochs, "epochs", 0, "compare only the first `N` epochs (0: the whole run)")
	return cmd
}

func reproduce(ctx context.Context, a *cli.App, ref string, assignments []string, epochs int) error {
	var kept *runs.Run // nil: it is not in the folder of runs
	var c runs.Citation
	var err error
	if !runs.IsCitation(ref) {
		kept, err = a.RunOf(ref)
	} else if c, err = runs.ParseCitation(ref); err != nil {
		return cli.Usage(err)
	} else {
		kept, err = runs.FindCited(a.Runs, ref)
	}
	switch {
	case runs.IsCitation(ref) && errors.Is(err, fs.ErrNotExist):
		if epochs > 0 {
			return cli.Usagef("--epochs: %s is not in %s, and a citation has the digest of all epochs together", c, a.Runs)
		}
	case err != nil:
		return err
	case len(assignments) > 0:
		return cli.Usagef("%s: %s is in %s, its settings are known; omit them", assignments[0], c, a.Runs)
	}
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "imdbexp-reproduce-")
	if err != nil {
		return err
	}
	defer func() { a.Warn(os.RemoveAll(temporary)) }()
	r, closePool := a.Runner(dir)
	defer closePool()
	r.Dir = temporary
	if kept != nil {
		return reproduceRun(ctx, a, r, kept, epochs)
	}
	p, err := reproduction.Cited(ctx, r, c, assignments, auto.Data)
	if err != nil {
		return err
	}
	return reproduceCited(ctx, a, r, c, p)
}

// reproduceRun trains a run again and compares the files.
func reproduceRun(ctx context.Context, a *cli.App, r *training.Runner, kept *runs.Run, epochs int) error {
	p, err := plan.Of(&kept.Config)
	if err != nil {
		return err
	}
	a.Say(fmt.Sprintf("%s: %s, epoch %d of %d", kept.Label(), kept.Status.State, kept.Status.Epoch, kept.Status.Epochs))
	if c := &kept.Config; c.Behind() != 0 {
		a.Warn(fmt.Errorf("the run has result version %d, this program computes version %d of its settings: the numbers will differ", c.Result, runs.PresentVersion(c.Setting)))
	}
	w := progress.NewView(a.IO, []*plan.Plan{p}, nil)
	if epochs > 0 {
		w.Limit(epochs)
	}
	w.Watch(r)
	out, err := reproduction.Again(ctx, r, kept, p, epochs, w.Hooks(0))
	w.Stop()
	if err != nil {
		return err
	}
	if out.Difference != nil {
		a.Printf("%s: %s; %s checks the machine, %s shows the version and machine of the run\n",
			a.Paint(term.Bold, "other bits"), out.Difference, a.Command("doctor"), a.Command("show", kept.Config.ShortID()))
		return fmt.Errorf("%s does not reproduce", kept.Label())
	}
	a.Say(fmt.Sprintf("%s: %s (%s)", a.Paint(term.Bold, "same bits"), strings.Join(out.Same, ", "), format.Counted(out.Epochs, "epoch")))
	if len(out.Skipped) > 0 {
		a.Say("not compared: " + strings.Join(out.Skipped, "; "))
	}
	cli.Cite(a.IO, kept, "")
	return nil
}

// reproduceCited trains the run that a citation names and compares the digest of its metrics
// with that of the citation.
func reproduceCited(ctx context.Context, a *cli.App, r *training.Runner, c runs.Citation, p *plan.Plan) error {
	a.Say(fmt.Sprintf("%s is not in %s; training it", c, a.Runs))
	progress.Overrides(a.IO, p)
	w := progress.NewView(a.IO, []*plan.Plan{p}, nil)
	w.Watch(r)
	out, err := r.Run(ctx, p, w.Hooks(0))
	w.Stop()
	if err != nil {
		return err
	}
	again, err := out.Run.Citation()
	if err != nil {
		return err
	}
	if again.Metrics != c.Metrics {
		a.Printf("%s: metrics.jsonl has the digest %s, the citation %s\n", a.Paint(term.Bold, "other bits"), again.Metrics, c.Metrics)
		return fmt.Errorf("%s does not reproduce", c)
	}
	a.Printf("%s: metrics.jsonl (%s)\n", a.Paint(term.Bold, "same bits"), format.Counted(out.Run.Status.Epoch, "epoch"))
	return nil
}
