// Command exp runs experiments with attention models and shows what they gave.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"imdbexp/internal/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Once asked to stop, a second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, term.System(), os.Args[1:]))
}

// run is the whole program but for the process around it; it returns the exit
// code.
func run(ctx context.Context, io *term.IO, args []string) int {
	a := &app{io: io, args: args}
	cmd := a.root()
	cmd.SetArgs(args)
	err := guarded(func() error { return cmd.ExecuteContext(ctx) })
	return a.exit(ctx, err)
}
