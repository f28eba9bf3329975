package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
)

// Flags are the flags of exp run --on slurm.
type Flags struct {
	slurm.Options
	poll time.Duration

	DryRun bool // --dry-run of exp run
}

const (
	optionsFile = "slurm.yaml" // read if it is in the current folder
	minPoll     = 10 * time.Millisecond
)

// FlagNames are the flags that belong to --on slurm alone.
var FlagNames = []string{"slurm-partition", "slurm-time", "slurm-memory", "slurm-cpus", "slurm-account", "slurm-at-once", "slurm-poll"}

// Register adds the flags.
func (o *Flags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Partition, "slurm-partition", "", "with --on slurm: partition")
	f.StringVar(&o.Time, "slurm-time", "", "with --on slurm: time limit, such as 2h; a longer run is requeued and resumed")
	f.StringVar(&o.Memory, "slurm-memory", "", "with --on slurm: memory of a run, such as 4G")
	f.IntVar(&o.CPUs, "slurm-cpus", 0, "with --on slurm: cores of a run (default 1)")
	f.StringVar(&o.Account, "slurm-account", "", "with --on slurm: account")
	f.IntVar(&o.AtOnce, "slurm-at-once", 0, "with --on slurm: runs at a time (default: no limit)")
	f.DurationVar(&o.poll, "slurm-poll", 10*time.Second, "with --on slurm: time between two checks of the runs")
}

// options combines the flags with those of slurm.yaml.
func (o Flags) options() (slurm.Options, error) {
	if o.poll < minPoll {
		return slurm.Options{}, cli.Usage(fmt.Errorf("--slurm-poll %s: want at least %s", o.poll, minPoll))
	}
	if err := o.Options.Check(); err != nil {
		return slurm.Options{}, cli.Usage(fmt.Errorf("--slurm-%w", err))
	}
	b, err := fsx.ReadFile(optionsFile, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return o.Options, nil
	}
	if err != nil {
		return slurm.Options{}, err
	}
	base, err := slurm.ParseOptions(optionsFile, b)
	return o.Options.Over(base), cli.Usage(err)
}
