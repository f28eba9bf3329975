// Command exp runs experiments with attention models and shows their results.
package main

import (
	"context"
	"fmt"
	"os"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/guard"
	"imdbexp/internal/term"
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
