package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"exp": main, "waits": waits})
}

// TestScript runs the program as people do; the scripts say what they expect.
func TestScript(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache") // one, so that words are split once
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) { // [long] where there is time, as in .ci/run
			if name != "long" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return os.Getenv("EXP_CI") == "1", nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOMAXPROCS", "1") // the programs are short: waiting workers and
			e.Setenv("GOGC", "800")     // collected garbage are a quarter of their time
			e.Setenv("EXP_DATA", filepath.Join(e.WorkDir, "data"))
			docs, err := filepath.Abs("../../docs")
			if err != nil {
				return err
			}
			e.Setenv("DOCS", docs)
			if err := os.MkdirAll(cache, 0o777); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(e.WorkDir, "data"), 0o777); err != nil {
				return err
			}
			return os.Symlink(cache, filepath.Join(e.WorkDir, "data", "cache"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "mirror": mirror, "damage": damage, "cited": cited, "forge": forge, "break": breakRun},
	})
}

// exits runs a program that must end with a given exit code: exits 2 exp rum.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed := new(exec.ExitError)
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// call runs the program within the test, its output on a terminal of the given
// width (0: a pipe).
func call(ctx context.Context, out *output, width int, color bool, args ...string) int {
	return execute(ctx, term.New(out, out, width, color), args)
}

// on runs the program within the test, its output on a terminal of the given width (0: a pipe). It
// checks the exit code and returns the output.
func on(t *testing.T, width int, color bool, code int, args ...string) string {
	t.Helper()
	var out output
	require.Equal(t, code, call(t.Context(), &out, width, color, args...), "exp %q: %s", args, out.String())
	return out.String()
}

// ok runs a command that must succeed, in a pipe.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	return on(t, 0, false, exitOK, args...)
}
