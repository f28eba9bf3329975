package search

import (
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/cmd/exp/internal/tensorboard"
)

// Flags are those of exp run --search.
type Flags struct {
	Kind    string
	trials  int
	seed    uint64
	halving int
}

// Options are all that a search hangs on.
type Options struct {
	Flags
	DryRun bool
	Jobs   grid.Jobs
	Board  tensorboard.Flag
}

const (
	random         = "random"
	defaultTrials  = 20
	defaultHalving = 3
)

// Register adds the flags.
func (o *Flags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Kind, "search", "", "random: draw settings from lists and intervals (lr=log:1e-4..1e-1 dropout=0..0.5) and rank them on the validation split")
	f.IntVar(&o.trials, "trials", defaultTrials, "of --search: how many settings are drawn")
	f.Uint64Var(&o.seed, "search-seed", 1, "of --search: what is drawn follows from it")
	f.IntVar(&o.halving, "halving", 0, "of --search: train briefly first and only the best one in N on, N times as long, and so on")
	f.Lookup("halving").NoOptDefVal = fmt.Sprint(defaultHalving)
	cmd.RegisterFlagCompletionFunc("search", cobra.FixedCompletions([]string{random}, cobra.ShellCompDirectiveNoFileComp))
}

// Mode is --search among the modes of exp run.
var Mode = cli.Mode{Flags: []string{"search"}, Name: "--search " + random, Takes: []string{"trials", "search-seed", "halving", "dry-run", "force", "checkpoint-every", "jobs", "fail-fast"}}

// Check refuses values that make no sense.
func (o *Flags) Check() error {
	if o.Kind != "" && o.Kind != random {
		return fmt.Errorf("--search %s: want random", o.Kind)
	}
	if o.Kind != "" && o.trials < 1 {
		return fmt.Errorf("--trials %d: want 1 or more", o.trials)
	}
	return nil
}
