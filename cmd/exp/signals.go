package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

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
