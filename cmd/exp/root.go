package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
)

const defaultRuns = "runs"

// app is what every command has: where output goes and the common flags.
type app struct {
	io      *term.IO
	args    []string
	started bool // the command line made sense to cobra

	runs    string // folder of runs
	dataDir string // as in the flag; data returns the folder
	workers int
	simd    string
}

// root returns the command tree.
func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "exp",
		Short: "Experiments with attention models on movie reviews",
		Long: `Experiments with attention models on movie reviews.

key=value changes a setting, hence the result and the run's ID; --flags never
change a result. RUN is a run's folder, the first four letters or more of its ID,
a name (its newest finished run), a name with settings such as
'tme9-lstm[optimizer=sgd,seed=2]', or @last.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 diverged, 130 interrupted.`,
		Example:       "  exp run tme9-lstm\n  exp report",
		Args:          onlyCommands,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(*cobra.Command, []string) error { return a.status() },
	}
	cmd.SetIn(a.io.In)
	cmd.SetOut(a.io.Out)
	cmd.SetErr(a.io.Err)
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error { return a.start() }
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath()))
	})
	f := cmd.PersistentFlags()
	f.StringVar(&a.runs, "runs", defaultRuns, "folder of runs")
	f.StringVar(&a.dataDir, "data-dir", "", "data folder (default: $EXP_DATA, else imdbexp in the user's cache folder)")
	f.IntVar(&a.workers, "workers", runtime.GOMAXPROCS(0), "cores to train on")
	f.StringVar(&a.simd, "simd", "auto", "vector instructions: auto, avx512, avx2 or portable; all give the same bits")
	cmd.MarkPersistentFlagDirname("runs")
	cmd.MarkPersistentFlagDirname("data-dir")
	cmd.RegisterFlagCompletionFunc("simd", cobra.FixedCompletions(append([]string{"auto"}, levels()...), cobra.ShellCompDirectiveNoFileComp))
	cmd.AddCommand(a.listCommand(), a.showCommand(), a.runCommand(), a.reportCommand(), a.compareCommand(),
		a.attendCommand(), a.predictCommand(), a.exportCommand(), a.serveCommand(), a.drawCommand(), a.runsCommand(), a.reproduceCommand(), a.doctorCommand(), a.dataCommand(), a.benchCommand(), a.versionCommand())
	return cmd
}

// onlyCommands refuses words that are no command.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q%s; %s --help lists all", args[0], settings.Nearest(args[0], names), cmd.CommandPath())
}

// start applies the common flags.
func (a *app) start() error {
	a.started = true
	if a.workers < 1 {
		return usage(fmt.Errorf("--workers %d: want 1 or more", a.workers))
	}
	l, err := simd.ParseLevel(a.simd)
	if err == nil {
		err = simd.Use(l)
	}
	if err != nil {
		return usage(fmt.Errorf("--simd: %w", err))
	}
	return nil
}

// data returns the data folder.
func (a *app) data() (string, error) { return dataset.Dir(a.dataDir) }

// auto returns the data folder and what data=auto means in it.
func (a *app) auto() (dir string, auto plan.Auto, err error) {
	if dir, err = a.data(); err != nil {
		return "", auto, err
	}
	auto, err = plan.AutoData(dir)
	return dir, auto, err
}

// runner returns what carries out plans; close ends its workers.
func (a *app) runner(dir string) (r *training.Runner, close func()) {
	pool := ops.NewPool(a.workers)
	loader := &task.Loader{Dir: dir, Workers: a.workers, Warn: a.warn}
	return &training.Runner{Dir: a.runs, Loader: loader, Pool: pool}, pool.Close
}

// warn tells what is wrong but in nobody's way.
func (a *app) warn(err error) {
	if err != nil {
		fmt.Fprintf(a.io.Err, "exp: warning: %v\n", err)
	}
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.io.Out, format, args...) }

// command returns what to type for exp with these words and the folders in use.
func (a *app) command(words ...string) string {
	if a.runs != defaultRuns {
		words = append(words[:len(words):len(words)], "--runs", a.runs)
	}
	if a.dataDir != "" {
		words = append(words[:len(words):len(words)], "--data-dir", a.dataDir)
	}
	return commandLine(words...)
}

// commandLine returns what to type for exp with these words: go run leaves no exp
// to call.
func commandLine(words ...string) string {
	exp := "exp"
	if path, err := os.Executable(); err == nil {
		name := strings.TrimSuffix(filepath.Base(path), ".exe")
		if name == exp && strings.Contains(filepath.ToSlash(path), "/go-build") {
			exp = "go run ./cmd/exp"
		}
	}
	for _, w := range words {
		exp += " " + quoted(w)
	}
	return exp
}

// quoted quotes a word for a shell where it has to be.
func quoted(w string) string {
	plain := func(r rune) bool {
		return !strings.ContainsRune("=.,-_/:@%+", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if w != "" && !strings.ContainsFunc(w, plain) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

func levels() []string {
	var out []string
	for l := simd.Best(); l >= simd.Portable; l-- {
		out = append(out, l.String())
	}
	return out
}

// done reports whether the context has ended by itself.
func done(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }
