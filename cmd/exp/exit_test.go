package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/fsx"
	"imdbexp/internal/guard"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
)

// A mistake of this program ends a command with an error that says what to do,
// and not the process with a trace.
func TestPanicBecomesError(t *testing.T) {
	err := guard.Call(func() error {
		simd.Add(make([]float32, 2), make([]float32, 3))
		return nil
	})
	require.ErrorContains(t, err, "internal error: simd.Add: lengths 3 and 2 differ")
	require.ErrorContains(t, err, "exit_test.go", "where")
	var errs strings.Builder
	a := &cli.App{IO: term.New(&strings.Builder{}, &errs, 0, false)}
	require.Equal(t, exitFailed, exit(t.Context(), a, err))
	require.Contains(t, errs.String(), "please report it")
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// On a full disk each run that cannot write ends with an error: the file and what to do. The
// same command continues.
func TestFullDisk(t *testing.T) {
	dir, flags := folders(t)
	for _, args := range [][]string{tiny(flags, "epochs=2"), tiny(flags, "epochs=2", "seed=1,2")} {
		restore := fsx.Inject(func(op fsx.Op) error {
			if op.Do == fsx.Write && strings.Contains(op.Path, ".last.safetensors.") {
				return syscall.ENOSPC
			}
			return nil
		})
		out := on(t, 0, false, exitFailed, args...)
		restore()
		require.Regexp(t, `write .*`+regexp.QuoteMeta(filepath.Base(dir))+`.*[/\\]last\.safetensors: `, out)
		require.NotContains(t, out, ".aside")
		require.Contains(t, out, "make room and give the same command again")
		ok(t, args...)
	}
}

// A command whose output cannot be written fails, by its exit code.
func TestFullOutput(t *testing.T) {
	dir, flags := folders(t)
	ok(t, tiny(flags, "epochs=1")...)
	for _, c := range [][]string{
		{}, {"--help"}, {"--version"}, {"help", "run"}, {"list"}, {"run", "tme9-lstm", "--dry-run"}, {"run", "--help"},
		tiny(nil, "epochs=1"), {"show", "@last"}, {"show", "tme9-lstm"}, {"show", "@last", "--svg", "-"}, {"runs", "list"}, {"report"},
		{"report", "--format", "csv"}, {"report", "--format", "md"}, {"report", "--claims"}, {"report", "--cite"}, {"compare", "@last", "@last"}, {"attend", "@last", "a film"},
		{"attend", "@last", "--words"}, {"attend", "@last", "--split=test"}, {"predict", "@last", "data=sample"}, {"export", "@last", "--out", "-"},
		{"export", "@last", "--out", filepath.Join(dir, "m.safetensors")}, {"data", "list"}, {"data", "info", "sample"}, {"doctor"}, {"completion", "bash"},
	} {
		var errs strings.Builder
		code := execute(t.Context(), term.New(full{}, &errs, 0, false), append(c, flags...))
		require.Equal(t, exitFailed, code, "exp %q: %s", c, errs.String())
		require.Contains(t, errs.String(), "no space left", "exp %q", c)
	}
}

// Without a home there is no data folder. The sample and runs on it need none; other commands
// say what to set. Only the runs are written.
func TestNoHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "EXP_DATA"} {
		t.Setenv(name, "")
	}
	t.Chdir(t.TempDir())
	for _, c := range [][]string{
		{"run", "tme9-mean", "data.limit=20", "epochs=1"}, {}, {"show", "tme9-mean"}, {"show", "@last"}, {"run", "tme9-mean", "--dry-run"},
		{"predict", "@last", "data=sample"}, {"reproduce", "@last"}, {"data", "info", "sample"}, {"report"},
	} {
		ok(t, c...)
	}
	for _, c := range [][]string{
		{"data", "list"}, {"data", "fetch", "imdb"}, {"data", "add", "x.csv", "--name", "x"}, {"data", "remove", "x"}, {"data", "check"},
		{"run", "tme9-mean", "data=imdb"}, {"run", "tme9-mean", "data=mine"}, {"run", "tme9-mean", "data=sample", "vectors=glove50"}, {"data", "info", "imdb"},
	} {
		require.Contains(t, on(t, 0, false, exitFailed, c...), "--data-dir or $EXP_DATA", "exp %q", c)
	}
	entries := must.Get(os.ReadDir("."))(t)
	require.Len(t, entries, 1)
}

// waits is a program that is asked to stop and does not.
func waits() {
	ctx := untilSignal()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("asked")
	time.Sleep(time.Minute)
}
