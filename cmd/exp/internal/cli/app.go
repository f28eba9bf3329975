// Package cli has the parts that all commands share: input and output, the common flags, names of
// runs, and errors of usage.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"imdbexp/dataset/folder"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const defaultRuns = "runs"

// App has the input and output and the common flags of every command.
type App struct {
	*term.IO
	Args    []string
	Started bool // cobra has accepted the command line

	Runs    string // folder of runs
	dataDir string // the flag; Data returns the folder
	Workers int
	simd    string
	noTitle bool          // see TitleFlag
	names   *naming.Names // see Names
}

// Flags adds the common flags to the root command. They are applied before a command starts.
func (a *App) Flags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&a.Runs, "runs", defaultRuns, "folder of runs")
	f.StringVar(&a.dataDir, "data-dir", "", "data folder (default: $EXP_DATA, else imdbexp in the user's cache folder)")
	f.IntVar(&a.Workers, "workers", runtime.GOMAXPROCS(0), "cores to train on")
	f.StringVar(&a.simd, "simd", "auto", "vector instructions: auto, avx512, avx2, neon or portable; all give the same bits")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.start(cmd) }
}

// maxWorkers limits the workers on a machine with fewer cores.
const maxWorkers = 1024

// start applies the common flags.
func (a *App) start(cmd *cobra.Command) error {
	a.Started = true
	if a.Runs == "" {
		return Usage(errors.New("--runs '': name a folder; . is the current one"))
	}
	if err := cmp.Or(emptyFlag(cmd), isFile("--runs", a.Runs), isFile("--data-dir", a.dataDir)); err != nil {
		return Usage(err)
	}
	if a.Workers < 1 {
		return Usage(fmt.Errorf("--workers %d: want 1 or more", a.Workers))
	}
	if cores := runtime.GOMAXPROCS(0); a.Workers > max(maxWorkers, cores) {
		return Usage(fmt.Errorf("--workers %d: want at most %d; more than the %d cores of this machine are no faster", a.Workers, max(maxWorkers, cores), cores))
	}
	l, err := simd.ParseLevel(a.simd)
	if err == nil {
		err = simd.Use(l)
	}
	if err != nil {
		return Usage(fmt.Errorf("--simd: %w", err))
	}
	return nil
}

// isFile returns an error if a flag for a folder names a file.
func isFile(flag, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s %s is a file; want a folder", flag, path)
	}
	return nil
}

// Data returns the data folder.
func (a *App) Data() (string, error) { return folder.Dir(a.dataDir) }

// Installed is Data for commands that only read and can use built-in data: "" without a folder.
func (a *App) Installed() (string, error) {
	dir, err := a.Data()
	if _, none := errors.AsType[*folder.NoneError](err); none {
		return "", nil
	}
	return dir, err
}

// Auto returns the data folder and the data set of data=auto.
func (a *App) Auto() (dir string, auto plan.Auto, err error) {
	if dir, err = a.Installed(); err != nil {
		return "", auto, err
	}
	auto, err = plan.AutoData(dir)
	return dir, auto, err
}

// Pool returns the workers of a command, which stop inside a step when ctx ends; close ends them.
func (a *App) Pool(ctx context.Context) (pool *ops.Pool, close func()) {
	pool = ops.NewPool(a.Workers)
	release := pool.Until(ctx, 0)
	return pool, func() { release(); pool.Close() }
}

// Runner returns a runner for plans; close ends its workers.
func (a *App) Runner(dir string) (r *training.Runner, close func()) {
	pool := ops.NewPool(a.Workers)
	loader := &task.Loader{Dir: dir, Workers: a.Workers, Warn: a.Warn}
	var one sync.Mutex // runs of a grid call it at the same time
	named := func(ref string) ([]*runs.Run, error) {
		one.Lock()
		defer one.Unlock()
		return a.RunsOf(ref)
	}
	return &training.Runner{Dir: a.Runs, Loader: loader, Pool: pool, Named: named}, pool.Close
}

// Warn prints an error that does not stop the command.
func (a *App) Warn(err error) {
	if err != nil {
		a.IO.Complain(fmt.Sprintf("exp: warning: %v%s", err, a.Hint(err)))
	}
}

// Levels returns the SIMD levels of this machine, the best first.
func Levels() (out []string) {
	for _, l := range slices.Backward(simd.Levels()) {
		out = append(out, l.String())
	}
	return out
}
