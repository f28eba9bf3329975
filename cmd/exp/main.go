// Command exp runs experiments with attention models and shows their results.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/internal/system"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

func main() { os.Exit(execute(untilSignal(), term.System(), os.Args[1:])) }

// execute runs the program and returns the exit code.
func execute(ctx context.Context, io *term.IO, args []string) int {
	a := &cli.App{IO: io, Args: args}
	cmd := root(a)
	cmd.SetArgs(args)
	err := guard.Call(func() error { return cmd.ExecuteContext(ctx) })
	code := exit(ctx, a, err)
	if err := io.Close(); err != nil && code == exitOK { // the output is incomplete
		fmt.Fprintf(io.Err, "exp: standard output: %v\n", err)
		code = exitFailed
	}
	return code
}

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDiverged    = 3
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// bugNote follows an error that is a bug of this program.
const bugNote = "This is a bug in exp: please report it with the lines above.\n" +
	"Nothing that was written is lost; the same command continues a run from its last checkpoint."

// diskFullNote follows an error of a full disk.
const diskFullNote = "The disk is full: make room and give the same command again. All files are whole, and a run continues\n" +
	"from its last checkpoint. exp runs list shows the size of each run."

// exit prints an error and returns its exit code.
func exit(ctx context.Context, a *cli.App, err error) int {
	if err == nil {
		return exitOK
	}
	_, shown := errors.AsType[cli.ReportedError](err)
	interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
	switch {
	case shown:
	case interrupted:
		fmt.Fprintln(a.IO.Err, "exp: interrupted")
	default:
		a.IO.Complain("exp: " + a.Explain(err))
	}
	_, wrong := errors.AsType[cli.UsageError](err)
	_, misfit := errors.AsType[settings.MisfitError](err)
	_, internal := errors.AsType[*guard.Error](err)
	if internal && !shown {
		a.IO.Complain(bugNote)
	}
	if system.DiskFull(err) {
		a.IO.Complain(diskFullNote)
	}
	_, diverged := errors.AsType[*training.DivergedError](err)
	switch {
	case interrupted:
		return exitInterrupted
	case diverged:
		return exitDiverged
	case internal:
		return exitFailed
	case wrong || misfit || !a.Started: // cobra's own errors come before any command starts
		return exitUsage
	}
	return exitFailed
}

// sameRequest is the time in which further signals count as the same request to stop. Some signals
// come twice: timeout(1) signals the process and its group, and when a terminal closes, the shell and
// the kernel send one.
const sameRequest = 300 * time.Millisecond

// untilSignal returns a context that is cancelled when the process is asked to stop. Training then
// stops after the current step and saves a checkpoint. The next request ends the process at once.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan os.Signal, 8)
	signal.Notify(asked, stopSignals()...)
	go func() {
		<-asked
		cancel()
		time.Sleep(sameRequest)
		signal.Stop(asked)
	}()
	return ctx
}

// stopSignals returns the signals that ask a process to stop. A signal that is ignored from the start,
// such as SIGHUP under nohup, stays ignored.
func stopSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}

// showVersions prints the versions of the program, of Go and of the engine.
func showVersions(a *cli.App) {
	e := runs.NewEnvironment(simd.Current().String(), a.Workers, nil)
	say := func(what, text string) { a.SayIndented(text, fmt.Sprintf("%-10s", what), strings.Repeat(" ", 10)) }
	say("imdbexp", e.Build())
	say("revision", cmp.Or(e.Revision, "unknown: built outside a checkout"))
	say("result", fmt.Sprintf("version %d: runs of the same version and ID have the same numbers", runs.ResultVersion))
	say("go", fmt.Sprintf("%s %s/%s", e.Go, e.OS, e.Arch))
	for _, name := range slices.Sorted(maps.Keys(e.Modules)) {
		say("engine", name+" "+e.Modules[name])
	}
	say("CPU", e.CPU)
	say("SIMD", strings.Join(cli.Levels(), ", "))
}
