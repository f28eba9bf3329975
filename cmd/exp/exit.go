package main

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/settings"
	"imdbexp/internal/system"
)

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
