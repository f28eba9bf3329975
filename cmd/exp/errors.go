package main

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/experiments"
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
	_, diverged := errors.AsType[*experiments.DivergedError](err)
	switch {
	case interrupted:
		return exitInterrupted
	case diverged:
		return exitDiverged
	case wrong || !a.started: // cobra's own errors come before any command starts
		return exitUsage
	}
	return exitFailed
}
