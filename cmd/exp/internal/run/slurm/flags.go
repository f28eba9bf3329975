package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
)

// Flags are the flags of exp run --on slurm.
type Flags struct {
	slurm.Options
	file   string
	poll   time.Duration
	detach bool
	given  func(flag string) bool

	DryRun bool // --dry-run of exp run
}

const (
	optionsFile    = "slurm.yaml" // read where it is in the current folder
	maxOptionsFile = 1 << 20
	usualPoll      = 10 * time.Second // easy on the controller
)

// FlagNames are those of the flags that say something of --on slurm alone.
var FlagNames = []string{"slurm-file", "slurm-partition", "slurm-time", "slurm-memory", "slurm-cpus", "slurm-account", "slurm-at-once", "slurm-poll", "slurm-detach"}

// Register adds the flags.
func (o *Flags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	o.given = f.Changed
	f.StringVar(&o.file, "slurm-file", "", "of --on slurm: `FILE` with options (default: slurm.yaml, where there is one)")
	f.StringVar(&o.Partition, "slurm-partition", "", "of --on slurm: partition")
	f.StringVar(&o.Time, "slurm-time", "", "of --on slurm: time limit of a run, such as 2h; a longer run goes on in its next turn")
	f.StringVar(&o.Memory, "slurm-memory", "", "of --on slurm: memory of a run, such as 4G")
	f.IntVar(&o.CPUs, "slurm-cpus", 0, "of --on slurm: cores of a run (default 1)")
	f.StringVar(&o.Account, "slurm-account", "", "of --on slurm: account")
	f.IntVar(&o.AtOnce, "slurm-at-once", 0, "of --on slurm: runs at a time (default: no limit)")
	f.DurationVar(&o.poll, "slurm-poll", usualPoll, "of --on slurm: how often to look at the runs")
	f.BoolVar(&o.detach, "slurm-detach", false, "of --on slurm: submit and return; the same command without it follows the runs")
	cmd.MarkFlagFilename("slurm-file", "yaml", "yml")
}

// options joins the flags with the file.
func (o Flags) options() (slurm.Options, error) {
	if o.poll < 10*time.Millisecond {
		return slurm.Options{}, cli.Usage(fmt.Errorf("--slurm-poll %s: want at least 10ms", o.poll))
	}
	if o.given != nil && o.given("slurm-cpus") && o.CPUs < 1 { // 0 is the default of the file and of Slurm
		return slurm.Options{}, cli.Usage(fmt.Errorf("--slurm-cpus %d: want 1 or more", o.CPUs))
	}
	if err := o.Options.Check(); err != nil {
		return slurm.Options{}, cli.Usage(byFlag(err))
	}
	name := o.file
	if name == "" {
		name = optionsFile
	}
	b, err := fsx.ReadFile(name, maxOptionsFile)
	if errors.Is(err, fs.ErrNotExist) && o.file == "" {
		return o.Options, nil
	}
	if err != nil {
		return slurm.Options{}, err
	}
	base, err := slurm.ParseOptions(name, b)
	return o.Options.Over(base), cli.Usage(err)
}

// byFlag names the flags in errors that name options.
func byFlag(err error) error {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("--slurm-%w", err)
	}
	var out []error
	for _, e := range all.Unwrap() {
		out = append(out, fmt.Errorf("--slurm-%w", e))
	}
	return errors.Join(out...)
}

// program returns the path of exp for the nodes, which have to see it at the same
// place, and the one to copy there first, or "". That of go run is removed when the
// command ends, so it is kept in the grid's folder.
func program(o slurm.Options, dir string) (path, from string, err error) {
	if o.Exp != "" {
		return o.Exp, "", nil
	}
	if path, err = os.Executable(); err != nil {
		return "", "", fmt.Errorf("%w; name the program in %s: exp: /path/of/exp", err, optionsFile)
	}
	if strings.Contains(filepath.ToSlash(path), "/go-build") {
		return slurm.Program(dir), path, nil
	}
	return path, "", nil
}
