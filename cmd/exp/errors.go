package main

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/experiments/training"
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

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usage marks an error as one of usage; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// reported is an error whose text has been shown already.
type reported struct{ error }

func (e reported) Unwrap() error { return e.error }

// mistaken is said behind an error that is a mistake of this program.
const mistaken = "This is a mistake in exp, not in what you typed: please report it with the lines above.\n" +
	"Nothing that was written is lost; a run goes on from its last checkpoint with the same command."

// exit shows an error and returns its exit code.
func (a *app) exit(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	_, shown := errors.AsType[reported](err)
	interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
	switch {
	case shown:
	case interrupted:
		fmt.Fprintln(a.io.Err, "exp: interrupted")
	default:
		fmt.Fprintf(a.io.Err, "exp: %v\n", err)
	}
	_, wrong := errors.AsType[usageError](err)
	_, internal := errors.AsType[*guard.Error](err)
	if internal && !shown {
		fmt.Fprintln(a.io.Err, mistaken)
	}
	_, diverged := errors.AsType[*training.DivergedError](err)
	switch {
	case interrupted:
		return exitInterrupted
	case diverged:
		return exitDiverged
	case internal:
		return exitFailed
	case wrong || !a.started: // cobra's own errors come before any command starts
		return exitUsage
	}
	return exitFailed
}
