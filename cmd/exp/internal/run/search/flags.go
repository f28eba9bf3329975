package search

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/run/grid"
)

// Flags are the flags of exp run --search.
type Flags struct {
	Kind    string
	trials  int
	halving int
	by      string
}

// Options are the options of a search.
type Options struct {
	Flags
	DryRun bool
	Jobs   grid.Jobs
}

const (
	random         = "random"
	defaultTrials  = 20
	maxTrials      = 10_000
	defaultHalving = 3
)

// scores are the values of --search-by.
var scores = []string{"accuracy", "macro_f1", "loss"}

// Register adds the flags.
func (o *Flags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Kind, "search", "", "random: sample settings from lists and intervals (lr=log:1e-4..1e-1 dropout=0..0.5)")
	f.IntVar(&o.trials, "trials", defaultTrials, "with --search: number of samples")
	f.IntVar(&o.halving, "halving", 0, "with --search: train briefly first, then the best one in N for N times as long, and so on")
	f.StringVar(&o.by, "search-by", "", "with --search: rank by accuracy, macro_f1 or loss on the validation split (as select.by)")
	f.Lookup("halving").NoOptDefVal = fmt.Sprint(defaultHalving)
}

// Mode is --search for cli.CheckModes.
var Mode = cli.Mode{Flags: []string{"search"}, Name: "--search " + random, Takes: []string{"trials", "halving", "search-by", "dry-run", "force", "checkpoint-every", "jobs"}}

// Check returns an error for wrong values.
func (o *Flags) Check() error {
	if o.by != "" && !slices.Contains(scores, o.by) {
		return fmt.Errorf("--search-by %s: use %s", o.by, cli.OneOf(scores))
	}
	if o.Kind != "" && o.Kind != random {
		return fmt.Errorf("--search %s: want random", o.Kind)
	}
	if o.Kind != "" && (o.trials < 1 || o.trials > maxTrials) {
		return fmt.Errorf("--trials %d: want 1 to %d", o.trials, maxTrials)
	}
	return nil
}
