package search

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/cmd/exp/internal/tensorboard"
)

// Flags are those of exp run --search.
type Flags struct {
	Kind    string
	trials  int
	seed    uint64
	halving int
	given   bool // any of those that need --search
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

func AddFlags(cmd *cobra.Command, o *Flags) {
	f := cmd.Flags()
	f.StringVar(&o.Kind, "search", "", "random: draw settings from lists and intervals (lr=log:1e-4..1e-1 dropout=0..0.5) and rank them on the validation split")
	f.IntVar(&o.trials, "trials", defaultTrials, "of --search: how many settings are drawn")
	f.Uint64Var(&o.seed, "search-seed", 1, "of --search: what is drawn follows from it")
	f.IntVar(&o.halving, "halving", 0, "of --search: train briefly first and only the best one in N on, N times as long, and so on")
	f.Lookup("halving").NoOptDefVal = fmt.Sprint(defaultHalving)
	cmd.RegisterFlagCompletionFunc("search", cobra.FixedCompletions([]string{random}, cobra.ShellCompDirectiveNoFileComp))
	check := cmd.PreRunE
	cmd.PreRunE = func(c *cobra.Command, args []string) error {
		o.given = f.Changed("trials") || f.Changed("search-seed") || f.Changed("halving")
		if check != nil {
			return check(c, args)
		}
		return nil
	}
}

func (o Flags) Check() error {
	switch {
	case o.Kind == "" && o.given:
		return errors.New("--trials, --search-seed and --halving are of --search random")
	case o.Kind != "" && o.Kind != random:
		return fmt.Errorf("--search %s: want random", o.Kind)
	}
	return nil
}
