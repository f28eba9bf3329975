package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
)

// brief runs the tests, whose programs are short: workers would mostly wait for each other.
type brief struct{ *testing.M }

func (b brief) Run() int {
	runtime.GOMAXPROCS(1)
	return b.M.Run()
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") { // exp within a test must not start the tests again
		main()
	}
	testscript.Main(brief{m}, map[string]func(){"exp": main, "waits": waits})
}

// TestScript runs the program as users do; the scripts have the expected output. "call exp" runs it within
// the test, which takes a tenth of the time of a process. "exec exp" starts one, for what is typed into
// it and for what it asks of its environment.
func TestScript(t *testing.T) {
	scripts := must.Get(filepath.Abs("testdata/script"))(t)
	docs := must.Get(filepath.Abs("../../docs"))(t)
	cache := filepath.Join(t.TempDir(), "cache") // one, so that words are split once
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) { // [long] where there is time, as in .ci/run
			if name != "long" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return os.Getenv("EXP_CI") == "1", nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOMAXPROCS", "1")
			e.Setenv("GOGC", os.Getenv("GOGC"))
			e.Setenv("EXP_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("DOCS", docs)
			if err := os.MkdirAll(cache, 0o777); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(e.WorkDir, "data"), 0o777); err != nil {
				return err
			}
			return os.Symlink(cache, filepath.Join(e.WorkDir, "data", "cache"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"call": inside, "exits": exits, "mirror": mirror, "damage": damage, "cited": cited, "forge": forge, "break": breakRun},
	})
}

// one program runs within the test at a time: they share the working directory and the environment.
var one sync.Mutex

// program runs exp with the folder and the environment of a script and returns its exit code.
func program(ts *testscript.TestScript, args []string) int {
	one.Lock()
	defer one.Unlock()
	back, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(back)) }()
	for _, name := range []string{"EXP_DATA", "EXP_MIRROR", "GOGC", "HOME", "PATH", "TMPDIR"} {
		old := os.Getenv(name)
		ts.Check(os.Setenv(name, ts.Getenv(name)))
		defer func() { ts.Check(os.Setenv(name, old)) }()
	}
	typed := os.Args
	os.Args = append([]string{"exp"}, args...)
	defer func() { os.Args = typed }()
	var out, complaints output
	defer func() {
		fmt.Fprint(ts.Stdout(), out.String())
		fmt.Fprint(ts.Stderr(), complaints.String())
	}()
	io := term.New(&out, &complaints, 0, false)
	io.In = strings.NewReader("")
	return execute(context.Background(), io, args)
}

// inside runs exp within the test: call exp run tme9-mean.
func inside(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "exp" {
		ts.Fatalf("usage: call exp [args...]")
	}
	if code := program(ts, args[1:]); (code == exitOK) == neg {
		ts.Fatalf("exit code %d", code)
	}
}

// exits runs exp, which must end with a given exit code: exits 2 exp rum; as a process: exits 2 exec exp rum.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "exp" && args[1] != "exec" {
		ts.Fatalf("usage: exits CODE [exec] exp [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if args[1] == "exp" {
		got = program(ts, args[2:])
	} else if err := ts.Exec(args[2], args[3:]...); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
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
