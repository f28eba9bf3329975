package draw

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// The setting that divides scores by √k, its values, and an experiment that shows its
// effect.
const (
	scaleKey        = "scale"
	scaleOn         = "sqrt_k"
	scaleOff        = "none"
	scaleExperiment = "tme10-self"
)

func newScale(a *cli.App) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "scale [RUN RUN]",
		Short: "Draw what dividing scores by √k does to entropy and gradient",
		Long: `Draw the entropy of the attention (mean over heads) and the norm of the gradient over the
epochs of two runs, one with scale=sqrt_k and one with scale=none. By default it takes the
newest two runs that differ only in this.`,
		Example: "  exp draw scale\n  exp draw scale 'tme10-self[scale=sqrt_k]' 'tme10-self[scale=none]' --out scale.svg",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return errors.New("give two runs, or none to find them")
			}
			return nil
		},
		ValidArgsFunction: a.CompleteRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return drawScale(a, args, out) },
	}
	a.PictureFlag(cmd, &out)
	return cmd
}

func drawScale(a *cli.App, refs []string, out string) error {
	pair, err := scalePair(a, refs)
	if err != nil {
		return err
	}
	f, err := figures.Pair(scaleKey, pair[0], pair[1])
	if err != nil {
		return err
	}
	return a.WritePicture(f, canvas.Page, out,
		"Scores of width k have a variance of about k. Without the division the softmax is sharper, its entropy lower, and its gradient changes.")
}

// scalePair returns the two runs named, or the newest two to compare.
func scalePair(a *cli.App, refs []string) (pair [2]*runs.Run, err error) {
	if len(refs) == 2 {
		for i, ref := range refs {
			if pair[i], err = a.RunOf(ref); err != nil {
				return pair, err
			}
		}
		return pair, nil
	}
	list, err := a.ListRuns()
	if err != nil {
		return pair, err
	}
	for _, scaled := range slices.Backward(list) {
		for _, plain := range slices.Backward(list) {
			if comparableScales(scaled, plain) {
				return [2]*runs.Run{scaled, plain}, nil
			}
		}
	}
	return pair, fmt.Errorf("no two runs in %s differ in %s alone; these make them:\n  %s\n  %s", a.Runs, scaleKey,
		a.Command("run", scaleExperiment, scaleKey+"="+scaleOn), a.Command("run", scaleExperiment, scaleKey+"="+scaleOff))
}

// comparableScales reports whether two runs with at least one epoch differ only in scale.
func comparableScales(scaled, plain *runs.Run) bool {
	a, b := &scaled.Config, &plain.Config
	return a.Setting(scaleKey) == scaleOn && b.Setting(scaleKey) == scaleOff &&
		scaled.Status.Epoch > 0 && plain.Status.Epoch > 0 &&
		a.Model == b.Model && maps.Equal(a.Digests, b.Digests) && len(figures.Others(scaleKey, a, b)) == 0
}
