package main

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/training"
	"imdbexp/internal/disk"
	"imdbexp/internal/guard"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDiverged    = 3
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// mistaken is said behind an error that is a mistake of this program.
const mistaken = "This is a mistake in exp, not in what you typed: please report it with the lines above.\n" +
	"Nothing that was written is lost; a run goes on from its last checkpoint with the same command."

// noRoom is said behind an error of a full disk.
const noRoom = "The disk is full: make room, and type the same command again. What was there before is whole, and a run goes on\n" +
	"from its last checkpoint. exp runs du says what runs take up."

// exit shows an error and returns its exit code.
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
	_, internal := errors.AsType[*guard.Error](err)
	if internal && !shown {
		a.IO.Complain(mistaken)
	}
	if disk.Full(err) {
		a.IO.Complain(noRoom)
	}
	_, diverged := errors.AsType[*training.DivergedError](err)
	switch {
	case interrupted:
		return exitInterrupted
	case diverged:
		return exitDiverged
	case internal:
		return exitFailed
	case wrong || !a.Started: // cobra's own errors come before any command starts
		return exitUsage
	}
	return exitFailed
}
