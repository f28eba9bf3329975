// Command exp runs experiments with attention models and shows what they gave.
package main

import (
	"context"
	"os"

	"imdbexp/internal/guard"
	"imdbexp/internal/term"
)

func main() { os.Exit(run(untilSignal(), term.System(), os.Args[1:])) }

// run is the whole program but for the process around it; it returns the exit
// code.
func run(ctx context.Context, io *term.IO, args []string) int {
	a := &app{io: io, args: args}
	cmd := a.root()
	cmd.SetArgs(args)
	err := guard.Call(func() error { return cmd.ExecuteContext(ctx) })
	return a.exit(ctx, err)
}
