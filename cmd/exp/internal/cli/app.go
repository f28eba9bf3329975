// Package cli has the parts that all commands share: input and output, the common flags, names of
// runs, and errors of usage.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"imdbexp/dataset/folder"
	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/report"
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
	f.StringVar(&a.Runs, "runs", defaultRuns, "`DIR` of runs")
	f.StringVar(&a.dataDir, "data-dir", "", "`DIR` of data (default: $EXP_DATA, else a cache)")
	f.IntVar(&a.Workers, "workers", runtime.GOMAXPROCS(0), "`N` cores to train on")
	f.StringVar(&a.simd, "simd", "auto", "auto, avx512, avx2, neon or portable: the same bits")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.start(cmd) }
}

// maxWorkers limits the workers on a machine with fewer cores.
const maxWorkers = 1024

func (a *App) start(cmd *cobra.Command) error {
	a.Started = true
	if a.Runs == "" {
		return Usagef("--runs '': name a folder; . is the current one")
	}
	if err := cmp.Or(emptyFlag(cmd), Folder("runs", a.Runs), Folder("data-dir", a.dataDir)); err != nil {
		return Usage(err)
	}
	if limit := max(maxWorkers, runtime.GOMAXPROCS(0)); a.Workers < 1 || a.Workers > limit {
		return Usagef("--workers %d: want 1 to %d; more than the cores of this machine are no faster", a.Workers, limit)
	}
	l, err := simd.ParseLevel(a.simd)
	if err == nil {
		err = simd.Use(l)
	}
	if err != nil {
		return Usagef("--simd: %w", err)
	}
	return nil
}

// Data returns the data folder.
func (a *App) Data() (string, error) { return folder.Dir(a.dataDir) }

// Installed is Data for commands that only read and can use built-in data: "" if there is no folder.
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
	var one sync.Mutex // runs of a grid call named concurrently
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

// Names returns the meaning of the names of experiments with the installed data.
func (a *App) Names() *naming.Names {
	if a.names == nil {
		dir, auto, err := a.Auto()
		if err != nil { // commands that need data report the error
			auto.Data = "sample"
		}
		a.names = naming.New(auto.Data, dir)
	}
	return a.names
}

// WhereFlag adds --where.
func WhereFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "where", nil, "only runs with `KEY=VALUE`, KEY!=VALUE or tag=WORD")
}

// Where returns the runs that satisfy the conditions of --where.
func Where(list []*runs.Run, conditions []string) ([]*runs.Run, error) {
	out, err := runs.With(list, conditions)
	if err != nil {
		return nil, Usagef("--where: %w", err)
	}
	return out, nil
}

// RunOf returns the run of a name. Of several seeds it takes the typical one, and prints which. If an experiment has
// no run, the error says how to train one.
func (a *App) RunOf(ref string) (*runs.Run, error) {
	list, err := a.RunsOf(ref)
	if err != nil {
		return nil, err
	}
	run, why := report.Typical(list)
	if why != "" {
		another := ref + "[seed=N]"
		if head, ok := strings.CutSuffix(ref, "]"); ok {
			another = head + ",seed=N]"
		}
		a.Complain(fmt.Sprintf("exp: %s: %s; %s or an ID picks another", ref, why, Quoted(another)))
	}
	return run, nil
}

// RunsOf returns the runs of a name, which differ only in their seeds.
func (a *App) RunsOf(ref string) ([]*runs.Run, error) {
	list, err := a.Names().Runs(a.Runs, ref)
	return list, a.unnamed(ref, err)
}

// Match returns the runs of a name or an ID on all data, see runs.Match.
func (a *App) Match(ref string) ([]*runs.Run, error) {
	list, err := runs.Match(a.Runs, ref)
	return list, a.unnamed(ref, err)
}

// Headed returns a heading for a run: name/ID and its settings.
func (a *App) Headed(c *runs.Config) string {
	return fmt.Sprintf("%s (%s)", a.Paint(term.Bold, c.Name+"/"+c.ID), a.Names().About(c))
}

// unnamed adds advice to the error of a name without a run.
func (a *App) unnamed(ref string, err error) error {
	if runs.NoFiles(err) {
		return err
	}
	if others, ok := errors.AsType[*naming.OthersError](err); ok {
		text := others.Error()
		if others.Data != "" {
			text += "; train one: " + a.Command(append([]string{"run", others.Name}, others.Given...)...)
		}
		example := ""
		if others.Other != "" {
			example = ", such as " + Quoted(others.Other)
		}
		return fmt.Errorf("%s. There are other runs%s: %s", text, example, a.Command("runs", "list", others.Name))
	}
	if noModel := NoModel(ref); err != nil && noModel != nil {
		return noModel
	}
	if err != nil && strings.Contains(ref, " ") && !strings.ContainsAny(ref, "[/") {
		return fmt.Errorf("%w; did you forget the run? %s", err, a.Command("attend", "@last", ref))
	}
	if e, _ := experiments.Lookup(ref); e != nil && err != nil {
		return fmt.Errorf("%w; train one: %s", err, a.Command("run", ref))
	}
	if _, unnamed := errors.AsType[*runs.NoRunError](err); unnamed {
		return fmt.Errorf("%w; all runs: %s", err, a.Command("runs", "list"))
	}
	return err
}

// NoModel returns an error for the name of a model file that does not exist or that exp cannot read.
func NoModel(ref string) error {
	ext := filepath.Ext(ref)
	if ext != ".safetensors" && ext != ".onnx" {
		return nil
	}
	if _, err := os.Stat(ref); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no model file %s", ref)
	}
	if ext == ".onnx" {
		return fmt.Errorf("%s is for other programs, such as onnxruntime: give the run, or a file that exp export writes without --onnx", ref)
	}
	return nil
}

// UsageError is a wrong command line.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usage marks an error as a wrong command line; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}

// Usagef returns an error of a wrong command line with a formatted message.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// ReportedError is an error that has been printed already.
type ReportedError struct{ error }

func (e ReportedError) Unwrap() error { return e.error }

// Reported marks an error as printed already.
func Reported(err error) error { return ReportedError{err} }

// Done reports whether err is the error of the context, which has ended.
func Done(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }

// Hint returns advice to print after an error, such as a data set with a similar name, or "".
func (a *App) Hint(err error) string {
	if missing, ok := errors.AsType[*folder.NotInstalledError](err); ok {
		name, isData := strings.CutPrefix(missing.Setting, "data=")
		known := slices.Clip(missing.Known)
		if slices.Contains(known, "sample") { // the run is on reviews
			known = append(known, "imdb")
		}
		if !isData || known == nil {
			return ""
		}
		return settings.Nearest(name, known)
	}
	if e, ok := errors.AsType[*runs.AnswersError](err); ok {
		// The predictions can be written again with the same bytes; if the model cannot predict alone, it is trained again.
		c := &e.Run.Config
		if c.Task() == runs.Pairs || c.Setting("attention") == "imposed" {
			return "; train it again, with the same result: " + a.Command("run", filepath.Join(e.Run.Path, "config.yaml"), "--force")
		}
		return "; write them again from its weights: " + a.Command("predict", e.Run.Path, "data="+c.Data.Name, "--out", e.File())
	}
	if runs.NoFiles(err) {
		return "; exp may not open more files: raise the limit, such as with ulimit -n 1024, or lower --jobs"
	}
	e, ok := errors.AsType[*fs.PathError](err)
	if !ok || !a.inRuns(e.Path) || strings.Contains(err.Error(), "--runs") {
		return ""
	}
	if errors.Is(e, fs.ErrPermission) || e.Op == "mkdir" {
		return "; name a folder in which you may write with --runs"
	}
	dir := filepath.Dir(e.Path)
	if filepath.Clean(e.Path) == filepath.Clean(a.Runs) {
		dir = a.Runs
	}
	if info, err := os.Stat(dir); filepath.Base(dir) != ".store" && (err != nil || !info.IsDir()) { // its own error is clearer
		return "; " + dir + " was removed or renamed while the command ran: put it back, or give the command again to start over"
	}
	return ""
}

// ListRuns lists the runs. It prints a warning about runs that cannot be read.
func (a *App) ListRuns() ([]*runs.Run, error) {
	list, err := runs.List(a.Runs)
	if fatal := runs.Fatal(err); fatal != nil {
		return nil, fatal
	}
	a.Warn(err)
	return list, nil
}

func (a *App) inRuns(path string) bool {
	rel, err := filepath.Rel(a.Runs, path)
	return a.Runs != "" && err == nil && filepath.IsLocal(rel)
}

// Explain returns the text of an error that ends a command, with advice.
func (a *App) Explain(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(e, fs.ErrNotExist) && e.Op != "mkdir" && !a.inRuns(e.Path) {
		where := e.Path
		if dir, err := os.Getwd(); err == nil && !filepath.IsAbs(where) {
			where += " in " + dir
		}
		text = strings.Replace(text, e.Error(), "there is no file "+where+": check its name and folder", 1)
	}
	return text + a.Hint(err)
}
