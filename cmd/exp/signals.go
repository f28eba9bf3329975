package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// sameRequest is how long signals after the first are taken for the same request
// to stop. Some come twice: timeout(1) sends one to the process and one to its
// group, a terminal that closes one by the shell and one by the kernel.
const sameRequest = 300 * time.Millisecond

// untilSignal returns a context that ends when the process is asked to stop:
// what trains then does so after the step at hand and keeps a checkpoint. The next
// request ends the process at once, as the system does by itself.
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

// stopSignals are those that ask a process to stop. One that is ignored from the
// start, such as SIGHUP under nohup, stays ignored.
func stopSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}
